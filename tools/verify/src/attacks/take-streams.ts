import { setTimeout as delay } from 'node:timers/promises';
import type { Closer } from '@market-state/lifecycle';
import { atOnce } from '@market-state/testing';
import { type EventStream, openStream, type StreamOrder } from './event-stream';

/** What a tenant got that takes every stream it can. */
export interface Taken {
  readonly opened: EventStream[];
  /** Refusals but those of the rate of calls, by status and code. */
  readonly refusals: Record<string, number>;
}

export interface TakeOrder {
  readonly url: string;
  readonly keys: readonly string[];
  readonly addresses: readonly string[];
  /** Streams to try. */
  readonly tries: number;
  /** Refused so often, it has what it may have. */
  readonly refusalsMax: number;
  readonly secondsMax: number;
}

const AT_ONCE = 20;

/**
 * Opens streams that it does not read, by its keys in turns, until it was refused often enough, has tried as often as it may, or its time
 * is over. Calls refused for their rate are made again.
 */
export async function takeStreams(closer: Closer, { url, keys, addresses, tries, refusalsMax, secondsMax }: TakeOrder): Promise<Taken> {
  const untilMs = performance.now() + secondsMax * 1_000;
  const opened: EventStream[] = [];
  const refusals: Record<string, number> = {};
  let [started, refused] = [0, 0];

  const orderOf = (at: number): StreamOrder => ({
    key: keys[at % keys.length] ?? '',
    from: addresses[at % addresses.length] ?? '127.0.0.1',
    isSlow: true,
  });
  async function tryOne(order: StreamOrder): Promise<void> {
    for (;;) {
      const stream = await openStream(closer, url, order);
      if (stream.status === 200) return void opened.push(stream);
      stream.close();
      if (stream.code !== 'rate_limited' || performance.now() + stream.retryAfterS * 1_000 > untilMs) {
        const kind = `${stream.status} ${stream.code}`.trim();
        refusals[kind] = (refusals[kind] ?? 0) + 1;
        refused += 1;
        return;
      }
      await delay(stream.retryAfterS * 1_000);
    }
  }
  async function work(): Promise<void> {
    while (started < tries && refused < refusalsMax && performance.now() < untilMs) await tryOne(orderOf(started++));
  }
  await atOnce(AT_ONCE, work);
  return { opened, refusals };
}
