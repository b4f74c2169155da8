import { randomBytes } from 'node:crypto';
import { newId } from '@market-state/credentials';
import { nextDay } from './calendar';
import type { Book } from './credit-ledger';
import type { Credits } from './credits';
import { hold } from './hold';
import { ceilingShortfall, freeOf, shortfallOf, windowEndOf } from './limits';
import { onceFree, type Outcome } from './recall';
import type { WorkOf } from './with-credit-ledger';

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
