import type { System } from '@market-state/launcher';
import { percentile, shuffle, comesTrue, callOnce } from '@market-state/testing';
import { z } from 'zod';
import { pauseUpTo, type Suite, type SuiteContext } from './harness';
import { compareWithUnbroken, makers } from './recorded-run';

const pollMs = 50;
const answerTimeoutMs = 2_000;
/** A loss not reported within this time counts as hidden. */
const noticeLimitMs = 5_000;

const latestBody = z.object({
  packet_serving_state: z.string(),
  rows: z.array(z.object({ packet: z.object({ ts: z.string() }) })),
});

interface Observation {
  readonly atMs: number;
  readonly ready: boolean;
  /** `packet_serving_state` of `latest`, or the status if not 200. */
  readonly serving: string;
  /** `ts` of the packet served in milliseconds, or 0. */
  readonly packetTsMs: number;
}

interface Recovery {
  /** Time until /readyz or `latest` first reported the loss; undefined if neither did. */
  readonly noticedMs: number | undefined;
  /** Time until /readyz was 200 and `latest` served, as fresh, a packet newer than the last one before the kill. */
  readonly recoveredMs: number;
}

const freshServing = 'fresh_packet';

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
 * Watches the service after a kill until it has recovered.
 * @throws Error if that takes longer than `limitMs`
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
  if (!isBack) throw new Error(`Not recovered after ${Math.round(recoveredMs)} ms: ready ${seen.ready}, latest ${seen.serving}.`);
  return { noticedMs, recoveredMs };
}

const targets = [...makers, 'data-plane'];
const speed = 10;
/** Requirement: "Well within 10 s". */
const recoveryLimitMs = 10_000;
const watchLimitMs = 30_000;
const pauseMsMax = 3_000;

export const killSuite: Suite = {
  id: 'kills',
  claim: 'feed, recorder, data-plane and labeling killed at random moments leave the rows, packets and chain of an undisturbed run',
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
        `kill ${index + 1} of ${plan.length}: ${target}, reported after ${rounded(recovery.noticedMs)} ms, recovered after ` +
          `${rounded(recovery.recoveredMs)} ms`,
      );
      report.checkTime(recovery.noticedMs !== undefined, `kill ${index + 1} (${target}): neither /readyz nor latest reported it.`);
      report.checkTime(
        recovery.recoveredMs <= recoveryLimitMs,
        `kill ${index + 1} (${target}): recovered only after ${rounded(recovery.recoveredMs)} ms.`,
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
      `${all.length} kills; reported after ${rounded(Math.min(...noticed))} to ${rounded(Math.max(...noticed))} ms; recovered after ` +
        `${rounded(Math.min(...times))}, median ${rounded(percentile(times, 0.5))}, max ${rounded(Math.max(...times))} ms`,
    );
  }
}

function rounded(ms = Infinity): string {
  return Number.isFinite(ms) ? String(Math.round(ms)) : '–';
}
