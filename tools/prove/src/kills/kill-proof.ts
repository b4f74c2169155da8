import { setTimeout as delay } from 'node:timers/promises';
import type { System } from '@market-state/launcher';
import type { Proof, ProofContext } from '../proof';
import { createRandom, shuffle } from '../random';
import { compareWithUnbroken } from '../recorded/run-recording';
import { observe, type Recovery, watchRecovery } from './watch-service';

const targets = ['data-plane-feed', 'data-plane-recorder', 'data-plane', 'labeling'];
const speed = 20;
/** "Well within 10 s". */
const recoveryLimitMs = 10_000;
const watchLimitMs = 30_000;
const pauseMsMax = 3_000;

/** Kills each process of the main path at random moments and compares what is left with a run that nobody disturbed. */
export const killProof: Proof = {
  id: 'kills',
  claim: 'feed, recorder, data-plane and labeling killed at random moments leave the rows, packets and chain of an unkilled run',
  budget: { default: 10, counts: 'kills of each process' },
  async run(context) {
    const recoveries = new Map<string, Recovery[]>(targets.map((target) => [target, []]));
    const timing: string[] = [];
    const feedStartMs = Math.floor(Date.now() / 10_000) * 10_000;
    const { failures, figures } = await compareWithUnbroken({ feedStartMs, speed }, context.say, (system) =>
      killAll(system, context, recoveries, timing),
    );
    return { failures, timing, figures: [...figuresOf(recoveries), ...figures] };
  },
};

async function killAll(
  system: System,
  { seed, budget, say }: ProofContext,
  recoveries: ReadonlyMap<string, Recovery[]>,
  timing: string[],
): Promise<void> {
  const random = createRandom(seed);
  const plan = shuffle(
    targets.flatMap((target) => Array<string>(budget).fill(target)),
    random,
  );
  const key = await system.demoKey();
  for (const [index, target] of plan.entries()) {
    await delay(random() * pauseMsMax);
    const before = await observe(system, key);
    system.processes.signal(target, 'SIGKILL');
    try {
      const recovery = await watchRecovery(system, key, before, watchLimitMs);
      recoveries.get(target)?.push(recovery);
      say(
        `kill ${index + 1} of ${plan.length}: ${target}, noticed after ${rounded(recovery.noticedMs)} ms, whole after ` +
          `${rounded(recovery.recoveredMs)} ms`,
      );
      if (recovery.noticedMs === undefined) timing.push(`kill ${index + 1} (${target}): neither /readyz nor latest said so.`);
      if (recovery.recoveredMs > recoveryLimitMs)
        timing.push(`kill ${index + 1} (${target}): whole only after ${rounded(recovery.recoveredMs)} ms.`);
    } catch (error) {
      throw new Error(`kill ${index + 1} (${target}): ${(error as Error).message}`, { cause: error });
    }
  }
}

function figuresOf(recoveries: ReadonlyMap<string, readonly Recovery[]>): [string, string][] {
  return [...recoveries].map(([target, all]) => {
    const times = all.map(({ recoveredMs }) => recoveredMs).sort((one, other) => one - other);
    const noticed = all.flatMap(({ noticedMs }) => noticedMs ?? []).sort((one, other) => one - other);
    return [
      target,
      `${all.length} kills; said so after ${rounded(noticed[0])} to ${rounded(noticed.at(-1))} ms; whole after ${rounded(times[0])}, ` +
        `median ${rounded(times[Math.floor(times.length / 2)])}, at most ${rounded(times.at(-1))} ms`,
    ];
  });
}

function rounded(value: number | undefined): string {
  return value === undefined ? '–' : String(Math.round(value));
}
