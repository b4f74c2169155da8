import { setTimeout as delay } from 'node:timers/promises';
import { type System, withClient } from '@market-state/launcher';
import { heldTables, type Place } from './places';

const pollMs = 20;
const pauseMsMax = 1_500;
/** A killed process is gone within milliseconds. */
const goneMsMax = 10_000;

const target = 'labeling';

/**
 * Kills the labeling process at a place. Anywhere: after a random pause. Else the table that it writes there is held until
 * it waits for it, and let go when it is dead.
 * @throws Error when it does not come there within `reachLimitMs`, or is not gone 10 s after the kill
 */
export async function killAt(system: System, place: Place, reachLimitMs: number, random: () => number): Promise<void> {
  if (place === 'anywhere') {
    await delay(random() * pauseMsMax);
    system.processes.signal(target, 'SIGKILL');
    return;
  }
  await withClient(system.stores.ownerUrl('labeling'), async (client) => {
    await client.query('BEGIN');
    await client.query(`LOCK TABLE ${heldTables[place]} IN SHARE MODE`);
    const isHeld = async (): Promise<boolean> => {
      const { rows } = await client.query('SELECT 1 FROM pg_locks WHERE relation = $1::regclass AND NOT granted', [heldTables[place]]);
      return rows.length > 0;
    };
    const deadline = performance.now() + reachLimitMs;
    while (!(await isHeld())) {
      if (performance.now() > deadline) throw new Error(`The labeler never came to the place ${place}.`);
      await delay(pollMs);
    }
    const pid = system.processes.signal(target, 'SIGKILL');
    await gone(pid);
    await client.query('ROLLBACK');
  });
}

async function gone(pid: number): Promise<void> {
  const deadline = performance.now() + goneMsMax;
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    if (performance.now() > deadline) throw new Error(`Process ${pid} is still there ${goneMsMax} ms after it was killed.`);
    await delay(1);
  }
}
