import { setTimeout as delay } from 'node:timers/promises';
import { startSystem, type System } from '@market-state/launcher';
import type { Proof, ProofContext, ProofResult } from '../proof';
import { createRandom, shuffle } from '../random';
import { differences, type Extent, extentOf, retainedOf, type Retained } from './retained';
import { observe, type Recovery, watchRecovery } from './watch-service';

const targets = ['data-plane-feed', 'data-plane-recorder', 'data-plane', 'labeling'];
const speed = 20;
const symbols = ['BTCUSD-PERP', 'ETHUSD-PERP'];
const readyLimitMs = 120_000;
/** "Well within 10 s". */
const recoveryLimitMs = 10_000;
const watchLimitMs = 30_000;
const pauseMsMax = 3_000;
const catchUpLimitMs = 600_000;

/** Kills each process of the main path at random moments and compares what is left with a run that nobody disturbed. */
export const killProof: Proof = {
  id: 'kills',
  claim: 'feed, recorder, data-plane and labeling killed at random moments leave the rows, packets and chain of an unkilled run',
  budget: { default: 10, counts: 'kills of each process' },
  async run(context) {
    const feedStart = Math.floor(Date.now() / 10_000) * 10_000;
    const killed = await killedRun(context, feedStart);
    const unbroken = await unbrokenRun(context, feedStart, killed.extents);
    const failures: string[] = [];
    const figures = [...killed.figures];
    for (const symbol of symbols) {
      const one = killed.retained.get(symbol);
      const other = unbroken.get(symbol);
      if (one === undefined || other === undefined) throw new Error(`Nothing was retained of ${symbol}.`);
      failures.push(...differences(symbol, one, other));
      figures.push([`${symbol} rows and packets compared`, `${one.rows.length} and ${one.packets.length}`]);
      if (one.packets.length === 0) failures.push(`${symbol}: no packet was made.`);
    }
    return { failures, timing: killed.timing, figures };
  },
};

interface KilledRun extends Omit<ProofResult, 'failures'> {
  readonly extents: ReadonlyMap<string, Extent>;
  readonly retained: ReadonlyMap<string, Retained>;
}

async function killedRun({ seed, budget, say }: ProofContext, feedStart: number): Promise<KilledRun> {
  const random = createRandom(seed);
  const plan = shuffle(targets.flatMap((target) => Array<string>(budget).fill(target)), random);
  const system = await startSystem({ settings: settingsOf(feedStart, String(speed)) });
  const recoveries = new Map<string, Recovery[]>(targets.map((target) => [target, []]));
  const timing: string[] = [];
  try {
    await system.ready(AbortSignal.timeout(readyLimitMs));
    const key = await system.demoKey();
    for (const [index, target] of plan.entries()) {
      await delay(random() * pauseMsMax);
      const before = await observe(system, key);
      kill(system, target);
      try {
        const recovery = await watchRecovery(system, key, before, watchLimitMs);
        recoveries.get(target)?.push(recovery);
        say(`kill ${index + 1} of ${plan.length}: ${target}, noticed after ${rounded(recovery.noticedMs)} ms, whole after ${rounded(recovery.recoveredMs)} ms`);
        if (recovery.noticedMs === undefined) timing.push(`kill ${index + 1} (${target}): neither /readyz nor latest said so.`);
        if (recovery.recoveredMs > recoveryLimitMs) timing.push(`kill ${index + 1} (${target}): whole only after ${rounded(recovery.recoveredMs)} ms.`);
      } catch (error) {
        throw new Error(`kill ${index + 1} (${target}): ${(error as Error).message}`, { cause: error });
      }
    }
    const extents = new Map<string, Extent>();
    const retained = new Map<string, Retained>();
    for (const symbol of symbols) {
      const extent = await extentOf(system, symbol);
      extents.set(symbol, extent);
      retained.set(symbol, await retainedOf(system, symbol, extent));
    }
    return { timing, figures: figuresOf(recoveries), extents, retained };
  } finally {
    await system.stop();
  }
}

/** The same recording from the same instant, as fast as possible, until it has come as far on every symbol. */
async function unbrokenRun({ say }: ProofContext, feedStart: number, extents: ReadonlyMap<string, Extent>): Promise<Map<string, Retained>> {
  say('the unkilled run, as fast as possible');
  const system = await startSystem({ settings: settingsOf(feedStart, 'max') });
  try {
    const retained = new Map<string, Retained>();
    const deadline = performance.now() + catchUpLimitMs;
    for (const [symbol, wanted] of extents) {
      for (;;) {
        const extent = await extentOf(system, symbol);
        if (extent.lastOrdinal >= wanted.lastOrdinal && extent.lastWindowEndMs >= wanted.lastWindowEndMs) break;
        if (performance.now() > deadline) throw new Error(`The unkilled run of ${symbol} stands at ordinal ${extent.lastOrdinal} of ${wanted.lastOrdinal}.`);
        await delay(500);
      }
      retained.set(symbol, await retainedOf(system, symbol, wanted));
    }
    return retained;
  } finally {
    await system.stop();
  }
}

function kill(system: System, target: string): void {
  const { pid } = system.processes.process(target);
  if (pid === undefined) throw new Error(`${target} is not running.`);
  process.kill(pid, 'SIGKILL');
}

function settingsOf(feedStart: number, feedSpeed: string): NodeJS.ProcessEnv {
  return { FEED: 'recording', FEED_START: String(feedStart), FEED_SPEED: feedSpeed, SYMBOLS: symbols.join(',') };
}

function figuresOf(recoveries: ReadonlyMap<string, readonly Recovery[]>): [string, string][] {
  return [...recoveries].map(([target, all]) => {
    const times = all.map(({ recoveredMs }) => recoveredMs).sort((one, other) => one - other);
    const noticed = all.flatMap(({ noticedMs }) => noticedMs ?? []).sort((one, other) => one - other);
    return [
      target,
      `${all.length} kills; said so after ${rounded(noticed[0])} to ${rounded(noticed.at(-1))} ms; whole after ${rounded(times[0])}, median ${rounded(times[Math.floor(times.length / 2)])}, at most ${rounded(times.at(-1))} ms`,
    ];
  });
}

function rounded(value: number | undefined): string {
  return value === undefined ? '–' : String(Math.round(value));
}
