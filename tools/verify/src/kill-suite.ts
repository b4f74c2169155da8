import type { System } from '@market-state/launcher';
import { percentile, shuffle, comesTrue, callOnce } from '@market-state/testing';
import { z } from 'zod';
import { pauseUpTo, type Suite, type SuiteContext } from './harness';
import { compareWithUnbroken, makers } from './recorded-run';

const pollMs = 50;
const answerTimeoutMs = 2_000;
/** A loss that nobody was told of by then was hidden. */
const noticeLimitMs = 5_000;

const latestBody = z.object({
  packet_serving_state: z.string(),
  rows: z.array(z.object({ packet: z.object({ ts: z.string() }) })),
});

/** What a caller saw at one moment. */
interface Observation {
  readonly atMs: number;
  readonly ready: boolean;
  /** `packet_serving_state` of `latest`, or the status when it was not 200. */
  readonly serving: string;
  /** `ts` of the packet served, milliseconds; 0 when none was. */
  readonly packetTsMs: number;
}

/** What callers saw from a kill until the system was whole again. */
interface Recovery {
  /** Until /readyz or `latest` first said that something is missing; undefined when neither ever did. */
  readonly noticedMs: number | undefined;
  /** Until /readyz was 200 and `latest` served, as fresh, a packet newer than the last one before the kill. */
  readonly recoveredMs: number;
}

const freshServing = 'fresh_packet';

/** Asks /readyz and `latest` once, as a caller would. */
async function observe(system: System, key: string): Promise<Observation> {
  const [ready, latest] = await Promise.all([
    callOnce(`${system.url}/readyz`, { timeoutMs: answerTimeoutMs }),
    callOnce(`${system.url}/api/public/market-state/latest`, { key, timeoutMs: answerTimeoutMs }),
  ]);
  const parsed = latest?.status === 200 ? latestBody.safeParse(JSON.parse(latest.text)) : undefined;
  const ts = parsed?.success === true ? Date.parse(parsed.data.rows[0]?.packet.ts ?? '') : 0;
  return {
    atMs: performance.now(),
    ready: ready?.status === 200,
    serving: parsed?.success === true ? parsed.data.packet_serving_state : String(latest?.status ?? 0),
    packetTsMs: Number.isNaN(ts) ? 0 : ts,
  };
}

/**
 * Follows the service after something was killed until it is whole again.
 * @throws Error when that takes longer than `limitMs`
 */
async function watchRecovery(system: System, key: string, before: Observation, limitMs: number): Promise<Recovery> {
  const startedAt = performance.now();
  let noticedMs: number | undefined;
  let seen = before;
  async function isWhole(): Promise<boolean> {
    seen = await observe(system, key);
    const whole = seen.ready && seen.serving === freshServing;
    if (!whole) noticedMs ??= seen.atMs - startedAt;
    const over = noticedMs !== undefined || seen.atMs - startedAt > noticeLimitMs;
    return over && whole && seen.packetTsMs > before.packetTsMs;
  }
  const isBack = await comesTrue(isWhole, { limitMs, everyMs: pollMs });
  const recoveredMs = seen.atMs - startedAt;
  if (!isBack) throw new Error(`Not whole after ${Math.round(recoveredMs)} ms: ready ${seen.ready}, latest ${seen.serving}.`);
  return { noticedMs, recoveredMs };
}

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
