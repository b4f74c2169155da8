import { z } from 'zod';
import type { System } from '@market-state/launcher';
import { comesTrue, callOnce } from '@market-state/testing';

const pollMs = 50;
const answerTimeoutMs = 2_000;
/** A loss that nobody was told of by then was hidden. */
const noticeLimitMs = 5_000;

const latestBody = z.object({
  packet_serving_state: z.string(),
  rows: z.array(z.object({ packet: z.object({ ts: z.string() }) })),
});

/** What a caller saw at one moment. */
export interface Observation {
  readonly atMs: number;
  readonly ready: boolean;
  /** `packet_serving_state` of `latest`, or the status when it was not 200. */
  readonly serving: string;
  /** `ts` of the packet served, milliseconds; 0 when none was. */
  readonly packetTsMs: number;
}

/** What callers saw from a kill until the system was whole again. */
export interface Recovery {
  /** Until /readyz or `latest` first said that something is missing; undefined when neither ever did. */
  readonly noticedMs: number | undefined;
  /** Until /readyz was 200 and `latest` served, as fresh, a packet newer than the last one before the kill. */
  readonly recoveredMs: number;
}

const freshServing = 'fresh_packet';

/** Asks /readyz and `latest` once, as a caller would. */
export async function observe(system: System, key: string): Promise<Observation> {
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
export async function watchRecovery(system: System, key: string, before: Observation, limitMs: number): Promise<Recovery> {
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
