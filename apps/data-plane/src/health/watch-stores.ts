import type { EventLog } from '@market-state/event-log';
import type { Health } from '@market-state/grpc';
import { delay } from '@market-state/lifecycle';
import { pingPostgres } from '@market-state/postgres';
import type { Pool } from 'pg';

const INTERVAL_MS = 1_000;

/** Names of the stores in the health service. */
export const POSTGRES = 'postgres';
export const EVENT_LOG = 'event_log';

/** Asks the stores every second and sets their health; gives back how to stop. */
export function watchStores(health: Health, stores: { readonly pool: Pool; readonly log: EventLog }): () => Promise<void> {
  const stop = new AbortController();
  async function watch(store: string, ping: () => Promise<unknown>): Promise<void> {
    while (!stop.signal.aborted) {
      const isThere = await ping().then(
        () => true,
        () => false,
      );
      if (stop.signal.aborted) return;
      health.set(store, isThere);
      await delay(INTERVAL_MS, stop.signal).catch(() => undefined);
    }
  }
  const watching = Promise.all([watch(POSTGRES, () => pingPostgres(stores.pool)), watch(EVENT_LOG, () => stores.log.ping())]);
  return async () => {
    stop.abort();
    await watching;
  };
}
