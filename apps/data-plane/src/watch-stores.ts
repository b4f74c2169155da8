import type { Health } from '@market-state/grpc';
import { delay } from '@market-state/lifecycle';

const INTERVAL_MS = 1_000;
const ANSWER_MS_MAX = 2_000;

export const POSTGRES = 'postgres';
export const EVENT_LOG = 'event_log';

type StorePings = Readonly<Record<typeof POSTGRES | typeof EVENT_LOG, () => Promise<unknown>>>;

/** Every second, with a two-second timeout. Returns a function that stops it. */
export function watchStores(health: Health, pings: StorePings): () => Promise<void> {
  const stop = new AbortController();
  async function watch(store: string, ping: () => Promise<unknown>): Promise<void> {
    while (!stop.signal.aborted) {
      const isThere = await answers(ping, stop.signal);
      if (stop.signal.aborted) return;
      health.set(store, isThere);
      await delay(INTERVAL_MS, stop.signal).catch(() => undefined);
    }
  }
  const watching = Promise.all(Object.entries(pings).map(([store, ping]) => watch(store, ping)));
  return async () => {
    stop.abort();
    await watching;
  };
}

async function answers(ping: () => Promise<unknown>, signal: AbortSignal): Promise<boolean> {
  const answered = new AbortController();
  const limit = delay(ANSWER_MS_MAX, AbortSignal.any([signal, answered.signal])).then(
    () => false,
    () => false,
  );
  const isThere = await Promise.race([
    ping().then(
      () => true,
      () => false,
    ),
    limit,
  ]);
  answered.abort();
  return isThere;
}
