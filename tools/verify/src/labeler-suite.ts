import { type System, withClient } from '@market-state/launcher';
import { comesTrue, shuffle } from '@market-state/testing';
import { type Suite, type SuiteContext, pauseUpTo } from './harness';
import { extentOf, compareWithUnbroken, makers, recordedSymbols } from './recorded-run';

const heldPollMs = 20;
const pauseMsMax = 1_500;
const goneMsMax = 10_000;

const target = 'labeling';

/**
 * Kills the labeling process at a given point. `anywhere` waits a random time; otherwise a lock blocks the table
 * written there until the process is dead.
 * @throws Error if it does not get there within `reachLimitMs`, or is still present 10 s after the kill
 */
async function killAt(system: System, place: Place, reachLimitMs: number, random: () => number): Promise<void> {
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
    if (!(await comesTrue(isHeld, { limitMs: reachLimitMs, everyMs: heldPollMs })))
      throw new Error(`The labeler never reached the point ${place}.`);
    const pid = system.processes.signal(target, 'SIGKILL');
    if (!(await comesTrue(() => isGone(pid), { limitMs: goneMsMax, everyMs: 1 })))
      throw new Error(`Process ${pid} is still running ${goneMsMax} ms after it was killed.`);
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

type Place = 'anywhere' | 'before its packet is written' | 'before its state is saved' | "before an hour's checkpoint is written";

/** Table to lock so that the labeler blocks at each point. */
const heldTables: Readonly<Record<Exclude<Place, 'anywhere'>, string>> = {
  'before its packet is written': 'packet',
  'before its state is saved': 'labeler_state',
  "before an hour's checkpoint is written": 'checkpoint',
};

interface KillPlan {
  readonly beforeHour: readonly Place[];
  /** Includes at least one at the hour's checkpoint. */
  readonly fromHourOn: readonly Place[];
}

const packetShare = 0.3;
const stateShare = 0.15;
const checkpointShare = 0.15;

/**
 * Plans `total` kills: three in ten between a window's closing tick and its commit, some at a saved state and at an
 * hour's checkpoint, the others anywhere; in random order, with checkpoint kills in the second half.
 */
export function planKills(total: number, random: () => number): KillPlan {
  const count = (share: number): number => Math.max(1, Math.round(total * share));
  const checkpoints = many("before an hour's checkpoint is written", Math.min(total, count(checkpointShare)));
  const certain = [
    ...many('before its packet is written', count(packetShare)),
    ...many('anywhere', 1),
    ...many('before its state is saved', count(stateShare)),
  ];
  const restTotal = total - checkpoints.length;
  const rest = shuffle([...certain, ...many('anywhere', restTotal)].slice(0, restTotal), random);
  const half = Math.floor(rest.length / 2);
  return { beforeHour: rest.slice(0, half), fromHourOn: [...checkpoints, ...rest.slice(half)] };
}

function many(place: Place, total: number): Place[] {
  return Array<Place>(total).fill(place);
}

const speed = 10;
const hourMs = 3_600_000;
/** Estimated startup time, and time from a kill to new packets. They only place the hour within the run. */
const startMs = 8_000;
const killMs = 4_000;
const pollMs = 50;
const recoveryLimitMs = 60_000;
/** Long enough for the recording's next hour, even on a busy machine. */
const reachLimitMs = (3 * hourMs) / speed;
const hourPlace: Place = "before an hour's checkpoint is written";

export const labelerSuite: Suite = {
  id: 'labeler',
  claim: 'the labeler killed at random points leaves the packets, chain, signatures and checkpoints of an undisturbed run',
  budget: { default: 20, counts: 'kills' },
  short: { seed: 1, budget: 3 },
  async run(context) {
    const { report, random, budget } = context;
    const plan = planKills(budget, random);
    const leadMs = Math.ceil((speed * (startMs + killMs * plan.beforeHour.length)) / 10_000) * 10_000;
    // In the future, because old data would be stale and the system not ready.
    const feedStartMs = Math.ceil((Date.now() + leadMs) / hourMs) * hourMs - leadMs;
    const checkpointTotal = await compareWithUnbroken(context, { feedStartMs, speed, runs: makers }, (system) =>
      killAll(system, [...plan.beforeHour, ...plan.fromHourOn], context),
    );
    report.check(checkpointTotal > 0, 'No checkpoint fell within the run.');
  },
};

async function killAll(system: System, places: readonly Place[], { report, random, say }: SuiteContext): Promise<void> {
  const recoveries: number[] = [];
  for (const [index, place] of places.entries()) {
    await killAt(system, place, reachLimitMs, random);
    const kill = `kill ${index + 1} of ${places.length}: ${place}`;
    // Kills it again at the same checkpoint, because an hour has only one.
    if (place === hourPlace && places[index + 1] === hourPlace) {
      say(`${kill}; killed there again`);
      continue;
    }
    const startedMs = performance.now();
    await nextPackets(system);
    const recoveredMs = performance.now() - startedMs;
    recoveries.push(recoveredMs);
    say(`${kill}; the next packets after ${Math.round(recoveredMs)} ms`);
  }
  report.figure('kills', `${places.length}; the next packets after at most ${Math.round(Math.max(...recoveries))} ms`);
}

async function nextPackets(system: System): Promise<void> {
  const newest = async (): Promise<number[]> =>
    Promise.all(recordedSymbols.map(async (symbol) => (await extentOf(system, symbol)).lastWindowEndMs));
  const before = await newest();
  const isThere = async (): Promise<boolean> => (await newest()).every((windowEndMs, index) => windowEndMs > (before[index] ?? 0));
  if (!(await comesTrue(isThere, { limitMs: recoveryLimitMs, everyMs: pollMs })))
    throw new Error(`Some symbol had no new packet within ${recoveryLimitMs} ms of a kill.`);
}
