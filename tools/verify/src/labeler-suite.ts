import { type System, withClient } from '@market-state/launcher';
import { comesTrue, shuffle } from '@market-state/testing';
import { type Suite, type SuiteContext, pauseUpTo } from './harness';
import { extentOf, compareWithUnbroken, makers, recordedSymbols } from './recorded-run';

const heldPollMs = 20;
const pauseMsMax = 1_500;
/** A killed process is gone within milliseconds. */
const goneMsMax = 10_000;

const target = 'labeling';

/**
 * Kills the labeling process at a place. Anywhere: after a random pause. Else the table that it writes there is held until
 * it waits for it, and let go when it is dead.
 * @throws Error when it does not come there within `reachLimitMs`, or is not gone 10 s after the kill
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

/** Where the labeler is when it is killed. */
type Place = 'anywhere' | 'before its packet is written' | 'before its state is saved' | "before an hour's checkpoint is written";

/** The table whose writing is held up, so that the labeler stands at a place for as long as it takes to kill it. */
const heldTables: Readonly<Record<Exclude<Place, 'anywhere'>, string>> = {
  'before its packet is written': 'packet',
  'before its state is saved': 'labeler_state',
  "before an hour's checkpoint is written": 'checkpoint',
};

/** The kills of a run, in order. */
interface KillPlan {
  readonly beforeHour: readonly Place[];
  /** At least one of them at the hour's checkpoint. */
  readonly fromHourOn: readonly Place[];
}

const packetShare = 0.3;
const stateShare = 0.15;
const checkpointShare = 0.15;

/**
 * `total` kills: three in ten between the tick that closes a window and its commit, some at a state to be saved and at an
 * hour's checkpoint, the others anywhere; in random order, the checkpoints' after half of the others.
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
/** About what the system takes to be up, and one kill until packets come again. Only places the hour in the run; nothing depends on it. */
const startMs = 8_000;
const killMs = 4_000;
const pollMs = 50;
const recoveryLimitMs = 60_000;
/** Long enough for the next hour of the recording to come, on a busy machine too. */
const reachLimitMs = (3 * hourMs) / speed;
const hourPlace: Place = "before an hour's checkpoint is written";

/** Kills the labeling process at chosen and at random points and compares what is left with a run that nobody disturbed. */
export const labelerSuite: Suite = {
  id: 'labeler',
  claim: 'the labeler killed at random points leaves the packets, chain, signatures and checkpoints of an unbroken run',
  budget: { default: 20, counts: 'kills' },
  short: { seed: 1, budget: 3 },
  async run(context) {
    const { report, random, budget } = context;
    const plan = planKills(budget, random);
    const leadMs = Math.ceil((speed * (startMs + killMs * plan.beforeHour.length)) / 10_000) * 10_000;
    // Not in the past: what is old counts as stale, and the system as not ready.
    const feedStartMs = Math.ceil((Date.now() + leadMs) / hourMs) * hourMs - leadMs;
    const checkpointTotal = await compareWithUnbroken(context, { feedStartMs, speed, runs: makers }, (system) =>
      killAll(system, [...plan.beforeHour, ...plan.fromHourOn], context),
    );
    report.check(checkpointTotal > 0, 'No checkpoint fell into the run.');
  },
};

async function killAll(system: System, places: readonly Place[], { report, random, say }: SuiteContext): Promise<void> {
  const recoveries: number[] = [];
  for (const [index, place] of places.entries()) {
    await killAt(system, place, reachLimitMs, random);
    const kill = `kill ${index + 1} of ${places.length}: ${place}`;
    // Killed again at the same checkpoint: an hour has only one.
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

/** Resolves when every symbol has a packet that it had not when this was called. */
async function nextPackets(system: System): Promise<void> {
  const newest = async (): Promise<number[]> =>
    Promise.all(recordedSymbols.map(async (symbol) => (await extentOf(system, symbol)).lastWindowEndMs));
  const before = await newest();
  const isThere = async (): Promise<boolean> => (await newest()).every((windowEndMs, index) => windowEndMs > (before[index] ?? 0));
  if (!(await comesTrue(isThere, { limitMs: recoveryLimitMs, everyMs: pollMs })))
    throw new Error(`No packet of every symbol came in ${recoveryLimitMs} ms after a kill.`);
}
