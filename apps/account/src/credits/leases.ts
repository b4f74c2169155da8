import { unavailable } from '@market-state/errors';
import { timeLimit } from '@market-state/lifecycle';
import { inTransaction } from '@market-state/postgres';
import type { PoolClient } from 'pg';
import { randomBytes } from 'node:crypto';
import { newId } from '@market-state/credentials';
import { notify } from '../store/outbox';
import type { Book, Hold } from './credit-ledger';
import type { Credits } from './credits';
import { type Shortfall, ceilingShortfall, freeOf, shortfallOf, windowEndOf } from './limits';
import { withBook, type WorkOf } from './with-credit-ledger';
import { listRecalledLeases } from '../store/reservations';
import { nextDay } from './calendar';
import { hold } from './hold';

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

const LEASE_LIFE_MS = 60_000;
/** An expired lease still accepts batches for this time, then it is released. */
const BATCH_GRACE_MS = 30_000;
const AMOUNT_MAX = 2 ** 32 - 1;

export interface LeaseOrder extends WorkOf {
  readonly gatewayId: string;
  readonly needed: number;
  readonly wanted: number;
}

interface GrantedLease {
  readonly leaseId: string;
  readonly amount: number;
  readonly expiresMs: number;
  readonly lifeMs: number;
  readonly endsAtReset: boolean;
  readonly available: number;
  readonly perCallCeiling: number | null;
}

/**
 * Reserves market-state credits for one gateway: the wished amount if free, never less than needed. Throws like
 * `onceFree`.
 */
export function takeLease(credits: Credits, order: LeaseOrder, signal: AbortSignal): Promise<Outcome<GrantedLease>> {
  return onceFree(credits, order, signal, async (book) => {
    const short = ceilingShortfall(book, 'market_state', order.needed) ?? shortfallOf(book, 'market_state', order.needed);
    return short === null ? { isDone: true, value: lease(book, order) } : { isDone: false, short };
  });
}

function lease(book: Book, { gatewayId, needed, wanted }: LeaseOrder): GrantedLease {
  const amount = Math.min(Math.max(needed, wanted), freeOf(book, 'market_state'), AMOUNT_MAX);
  const resetMs = Math.min(nextDay(book.nowMs), book.ceiling === null ? Infinity : windowEndOf(book.ceiling));
  const expiresMs = Math.min(book.nowMs + LEASE_LIFE_MS, resetMs);
  const endsAtReset = expiresMs === resetMs;
  const leaseId = newId('lea', randomBytes);
  hold(book, {
    id: leaseId,
    kind: 'market_state',
    operationId: leaseId,
    amount,
    releaseMs: expiresMs + BATCH_GRACE_MS,
    lease: { gatewayId, expiresMs, endsAtReset, lastBatch: 0, recalledMs: null },
  });
  return {
    leaseId,
    amount,
    expiresMs,
    lifeMs: expiresMs - book.nowMs,
    endsAtReset,
    available: freeOf(book, 'market_state'),
    perCallCeiling: book.controls.perCallCreditCeiling,
  };
}
