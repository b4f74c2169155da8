import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { System } from '@market-state/launcher';

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
  const [ready, latest] = await Promise.all([ask(`${system.url}/readyz`), ask(`${system.url}/api/public/market-state/latest`, key)]);
  const parsed = latest.status === 200 ? latestBody.safeParse(JSON.parse(latest.body)) : undefined;
  const ts = parsed?.success === true ? Date.parse(parsed.data.rows[0]?.packet.ts ?? '') : 0;
  return {
    atMs: performance.now(),
    ready: ready.status === 200,
    serving: parsed?.success === true ? parsed.data.packet_serving_state : String(latest.status),
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
  for (;;) {
    const seen = await observe(system, key);
    const sinceMs = seen.atMs - startedAt;
    const whole = seen.ready && seen.serving === freshServing;
    if (!whole) noticedMs ??= sinceMs;
    const over = noticedMs !== undefined || sinceMs > noticeLimitMs;
    if (over && whole && seen.packetTsMs > before.packetTsMs) return { noticedMs, recoveredMs: sinceMs };
    if (sinceMs > limitMs) throw new Error(`Not whole after ${Math.round(sinceMs)} ms: ready ${seen.ready}, latest ${seen.serving}.`);
    await delay(pollMs);
  }
}

async function ask(url: string, key?: string): Promise<{ status: number; body: string }> {
  try {
    const response = await fetch(url, {
      headers: key === undefined ? {} : { 'x-market-state-api-key': key },
      signal: AbortSignal.timeout(answerTimeoutMs),
    });
    return { status: response.status, body: await response.text() };
  } catch {
    return { status: 0, body: '' };
  }
}
