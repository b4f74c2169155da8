import { type System, withClient } from '@market-state/launcher';
import { comesTrue } from '@market-state/testing';
import { pauseUpTo } from '../harness';
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
    await pauseUpTo(pauseMsMax, random);
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
    if (!(await comesTrue(isHeld, { limitMs: reachLimitMs, everyMs: pollMs })))
      throw new Error(`The labeler never came to the place ${place}.`);
    const pid = system.processes.signal(target, 'SIGKILL');
    if (!(await comesTrue(() => isGone(pid), { limitMs: goneMsMax, everyMs: 1 })))
      throw new Error(`Process ${pid} is still there ${goneMsMax} ms after it was killed.`);
    await client.query('ROLLBACK');
  });
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}
