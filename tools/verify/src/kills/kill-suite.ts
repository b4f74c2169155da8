import type { System } from '@market-state/launcher';
import { percentile, shuffle } from '@market-state/testing';
import { pauseUpTo, type Suite, type SuiteContext } from '../harness';
import { compareWithUnbroken, makers } from '../recorded/run-recording';
import { observe, type Recovery, watchRecovery } from './watch-service';

const targets = [...makers, 'data-plane'];
const speed = 10;
/** "Well within 10 s". */
const recoveryLimitMs = 10_000;
const watchLimitMs = 30_000;
const pauseMsMax = 3_000;

/** Kills each process of the main path at random moments and compares what is left with a run that nobody disturbed. */
export const killSuite: Suite = {
  id: 'kills',
  claim: 'feed, recorder, data-plane and labeling killed at random moments leave the rows, packets and chain of an unkilled run',
  budget: { default: 10, counts: 'kills of each process' },
  short: { seed: 20_240_809, budget: 1 },
  async run(context) {
    const feedStartMs = Math.floor(Date.now() / 10_000) * 10_000;
    const runs = [...targets, 'account', 'gateway'];
    await compareWithUnbroken(context, { feedStartMs, speed, runs }, (system) => killAll(system, context));
  },
};

async function killAll(system: System, { report, random, budget, say }: SuiteContext): Promise<void> {
  const recoveries = new Map<string, Recovery[]>(targets.map((target) => [target, []]));
  const plan = shuffle(
    targets.flatMap((target) => Array<string>(budget).fill(target)),
    random,
  );
  const key = await system.demoKey();
  for (const [index, target] of plan.entries()) {
    await pauseUpTo(pauseMsMax, random);
    const before = await observe(system, key);
    system.processes.signal(target, 'SIGKILL');
    try {
      const recovery = await watchRecovery(system, key, before, watchLimitMs);
      recoveries.get(target)?.push(recovery);
      say(
        `kill ${index + 1} of ${plan.length}: ${target}, noticed after ${rounded(recovery.noticedMs)} ms, whole after ` +
          `${rounded(recovery.recoveredMs)} ms`,
      );
      report.checkTime(recovery.noticedMs !== undefined, `kill ${index + 1} (${target}): neither /readyz nor latest said so.`);
      report.checkTime(
        recovery.recoveredMs <= recoveryLimitMs,
        `kill ${index + 1} (${target}): whole only after ${rounded(recovery.recoveredMs)} ms.`,
      );
    } catch (error) {
      throw new Error(`kill ${index + 1} (${target}): ${(error as Error).message}`, { cause: error });
    }
  }
  for (const [target, all] of recoveries) {
    const times = all.map(({ recoveredMs }) => recoveredMs);
    const noticed = all.flatMap(({ noticedMs }) => noticedMs ?? []);
    report.figure(
      target,
      `${all.length} kills; said so after ${rounded(Math.min(...noticed))} to ${rounded(Math.max(...noticed))} ms; whole after ` +
        `${rounded(Math.min(...times))}, median ${rounded(percentile(times, 0.5))}, at most ${rounded(Math.max(...times))} ms`,
    );
  }
}

/** Whole milliseconds; nothing where there were none. */
function rounded(ms = Infinity): string {
  return Number.isFinite(ms) ? String(Math.round(ms)) : '–';
}
