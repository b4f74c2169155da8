import { receiptIdOf } from '@market-state/credit-leases';
import { failedPrecondition } from '@market-state/errors';
import { inTransaction } from '@market-state/postgres';
import type { CreditKind } from '@market-state/pricing';
import type { PoolClient } from 'pg';
import { writeReceipts } from '../store/receipts';
import { findReservation, insertReservation, type StoredReservation, writeReservationState } from '../store/reservations';
import { type Book, CREDIT_KINDS, type Hold } from './credit-ledger';
import type { Credits } from './credits';
import { charge, giveBack, hold } from './hold';
import { freeOf, shortfallOf } from './limits';
import type { Caller, Priced } from './receipt';
import { onceFree, type Outcome } from './leases';
import { withBook } from './with-credit-ledger';

interface ReservationOrder {
  readonly tenantId: string;
  readonly operationId: string;
  readonly requestId: string;
  readonly caller: Caller;
  readonly priced: Priced;
  readonly expiresMs: number;
}

/** Status on the receipt of long work, which is settled only after success. */
const STATUS_OK = 200;

/**
 * Reserves the estimate of both kinds, once per operation. Throws like `onceFree`.
 * @returns remaining free credits of the reserved kind
 * @throws ServiceError `reservation_over`
 */
export function reserve(credits: Credits, order: ReservationOrder, signal: AbortSignal): Promise<Outcome<number>> {
  const kinds = CREDIT_KINDS.filter((kind) => estimateOf(order.priced, kind) > 0);
  const neededInAll = kinds.reduce((sum, kind) => sum + estimateOf(order.priced, kind), 0);
  const work = { tenantId: order.tenantId, keyId: order.caller.keyId };
  return onceFree(credits, work, signal, async (book, client) => {
    const known = await findReservation(client, order.operationId);
    if (known !== undefined && (known.tenantId !== order.tenantId || known.state !== 'open'))
      throw reservationOver(credits, order.operationId);
    if (known === undefined) {
      for (const kind of kinds) {
        const short = shortfallOf(book, kind, estimateOf(order.priced, kind), neededInAll);
        if (short !== null) return { isDone: false, short };
      }
      for (const kind of kinds) holdEstimate(book, order, kind);
      await insertReservation(client, { ...order, ...order.caller, reservedMs: book.nowMs });
    }
    return { isDone: true, value: freeOf(book, kinds.at(-1) ?? 'export') };
  });
}

function holdEstimate(book: Book, { operationId, priced, expiresMs }: ReservationOrder, kind: CreditKind): void {
  hold(book, { id: book.newId('hld'), kind, operationId, amount: estimateOf(priced, kind), releaseMs: expiresMs, lease: null });
}

/**
 * Charges the observed cost, at most the reservation, releases the rest and writes the receipt. Idempotent.
 * @returns the receipt's id
 * @throws ServiceError `reservation_over` if it was released or has expired
 */
export function settle(
  credits: Credits,
  operationId: string,
  observed: { readonly credits: Readonly<Record<CreditKind, number>>; readonly artifactIds: readonly string[] },
): Promise<string> {
  return inTransaction(credits.pool, async (client) => {
    const found = await findReservation(client, operationId);
    if (found === undefined) throw reservationOver(credits, operationId);
    return withBook(client, found.tenantId, credits.clock(), async (book) => {
      const reservation = await findReservation(client, operationId);
      const receiptId = receiptIdOf(found.tenantId, operationId);
      if (reservation?.state === 'settled') return receiptId;
      if (reservation?.state !== 'open') throw reservationOver(credits, operationId);
      await chargeReservation(client, book, operationId, reservation, observed);
      return receiptId;
    });
  });
}

async function chargeReservation(
  client: PoolClient,
  book: Book,
  operationId: string,
  { requestId, keyId, accountId, priced }: StoredReservation,
  observed: { readonly credits: Readonly<Record<CreditKind, number>>; readonly artifactIds: readonly string[] },
): Promise<void> {
  const charged = { market_state: 0, export: 0 };
  let countedOnMs = book.totals.market_state.dayMs;
  for (const held of holdsOf(book, operationId)) {
    charged[held.kind] = Math.min(observed.credits[held.kind], held.left);
    countedOnMs = held.countedOnMs;
    charge(book, held, charged[held.kind], 0);
    giveBack(book, held);
  }
  await writeReservationState(client, operationId, 'settled');
  const receipt = {
    operationId,
    requestId,
    caller: { keyId, accountId },
    priced: {
      ...priced,
      observedMarketStateCredits: charged.market_state,
      observedExportCredits: charged.export,
      artifactIds: observed.artifactIds,
    },
    status: STATUS_OK,
    servedMs: book.nowMs,
  };
  await writeReceipts(client, { tenantId: book.tenantId, planId: book.plan.planId ?? '', operationId, part: 0, countedOnMs }, [receipt]);
}

/**
 * Does nothing if it was released or never made.
 * @throws ServiceError `reservation_over` if it was settled
 */
export async function release(credits: Credits, operationId: string): Promise<void> {
  await inTransaction(credits.pool, async (client) => {
    const found = await findReservation(client, operationId);
    if (found === undefined) return;
    await withBook(client, found.tenantId, credits.clock(), async (book) => {
      const reservation = await findReservation(client, operationId);
      if (reservation?.state === 'settled') throw reservationOver(credits, operationId);
      for (const held of holdsOf(book, operationId)) giveBack(book, held);
      await writeReservationState(client, operationId, 'released');
    });
  });
}

function holdsOf(book: Book, operationId: string): Hold[] {
  return book.holds.filter((held) => held.operationId === operationId);
}

function estimateOf(priced: Priced, kind: CreditKind): number {
  return kind === 'export' ? priced.estimatedExportCredits : priced.estimatedMarketStateCredits;
}

function reservationOver({ logger }: Credits, operationId: string): Error {
  logger.warn({ operation_id: operationId }, 'reservation refused: it is over');
  return failedPrecondition('reservation_over', 'The reservation has already been settled or released.');
}
