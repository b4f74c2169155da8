import { unavailable } from '@market-state/errors';
import { timeLimit } from '@market-state/lifecycle';
import { inTransaction } from '@market-state/postgres';
import type { PoolClient } from 'pg';
import { notify } from '../store/outbox';
import type { Book, Hold } from './credit-ledger';
import type { Credits } from './credits';
import type { Shortfall } from './limits';
import { withBook, type WorkOf } from './with-credit-ledger';
import { listRecalledLeases } from '../store/reservations';

/** Maximum time between heartbeats, and the delay of a recall whose notification was missed. */
const HEARTBEAT_MS = 1_000;

/** Yields a gateway's recalled leases as they are recalled, each once, and an empty list at least once a second. */
export async function* watchRecalls(
  { pool, notices }: Pick<Credits, 'pool' | 'notices'>,
  gatewayId: string,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  const sentIds = new Set<string>();
  while (!signal.aborted) {
    const heard = new AbortController();
    const recalled = notices.next(`recall ${gatewayId}`, AbortSignal.any([signal, heard.signal, timeLimit(HEARTBEAT_MS)]));
    try {
      const fresh = (await listRecalledLeases(pool, gatewayId)).filter((id) => !sentIds.has(id));
      for (const id of fresh) sentIds.add(id);
      yield fresh;
      await recalled;
    } finally {
      heard.abort();
    }
  }
}

const RECALL_LIMIT_MS = 500;

export type Outcome<T> = { readonly isDone: true; readonly value: T } | { readonly isDone: false; readonly short: Shortfall };

export type Attempt<T> = (book: Book, client: PoolClient) => Promise<Outcome<T>>;

/**
 * Retries for at most half a second, recalling leases whose unused credits would suffice.
 * @returns the result, or the shortfall if leases cannot cover it
 * @throws ServiceError `credits_held` if gateways did not return leases in time
 */
export async function onceFree<T>(credits: Credits, work: WorkOf, signal: AbortSignal, attempt: Attempt<T>): Promise<Outcome<T>> {
  const { tenantId } = work;
  const limit = AbortSignal.any([signal, timeLimit(RECALL_LIMIT_MS)]);
  for (;;) {
    const isLast = limit.aborted;
    const heard = new AbortController();
    const freed = credits.notices.next(`freed ${tenantId}`, AbortSignal.any([limit, heard.signal]));
    try {
      const outcome = await inTransaction(credits.pool, (client) =>
        withBook(client, work, credits.clock(), async (book) => {
          const tried = await attempt(book, client);
          if (!tried.isDone) await recall(client, book, tried.short.leases);
          return tried;
        }),
      );
      if (outcome.isDone || outcome.short.leases.length === 0) return outcome;
      if (isLast) throw leasedByOthers(credits, tenantId, outcome.short.leases);
      await freed;
    } finally {
      heard.abort();
    }
  }
}

/** The gateways post and end these leases. */
export async function recall(client: PoolClient, book: Book, leases: readonly Hold[]): Promise<void> {
  const gateways = new Set<string>();
  for (const hold of leases) {
    if (hold.lease === null || hold.lease.recalledMs !== null) continue;
    hold.lease.recalledMs = book.nowMs;
    book.changedHolds.add(hold);
    gateways.add(hold.lease.gatewayId);
  }
  for (const gatewayId of gateways) await notify(client, `recall ${gatewayId}`);
}

function leasedByOthers({ clock, logger }: Credits, tenantId: string, leases: readonly Hold[]): Error {
  const releaseMs = Math.min(...leases.map((hold) => hold.releaseMs));
  logger.warn({ tenant_id: tenantId, leases: leases.map(({ id }) => id) }, 'recalled leases were not returned in time');
  const retryAfterS = Math.max(1, Math.ceil((releaseMs - clock()) / 1_000));
  return unavailable('credits_held', 'The needed credits are reserved for other calls and will be released soon. Try again.', {
    metadata: { retry_after_s: String(retryAfterS) },
  });
}
