import { inTransaction } from '@market-state/postgres';
import type { CreditKind } from '@market-state/pricing';
import { availableOf, type Book, CREDIT_KINDS, type Grant } from './book';
import type { Credits } from './credits';
import { withBook } from './with-book';

export interface Balance {
  readonly kind: CreditKind;
  /** What new work may use. */
  readonly available: number;
  /** In leases and reservations. */
  readonly held: number;
  /** Since midnight UTC, since the first of the month UTC. */
  readonly spentToday: number;
  readonly spentThisMonth: number;
}

/** A tenant's balances and the grants that have not ended. @throws ServiceError NOT_FOUND with reason `unknown_tenant` */
export function getBalances(
  credits: Credits,
  tenantId: string,
): Promise<{ readonly balances: readonly Balance[]; readonly grants: readonly Grant[] }> {
  return inTransaction(credits.pool, (client) =>
    withBook(client, tenantId, credits.clock(), (book) => ({
      balances: CREDIT_KINDS.map((kind) => balanceOf(book, kind)),
      grants: book.grants.filter((grant) => isOpen(grant, book.nowMs)),
    })),
  );
}

function balanceOf(book: Book, kind: CreditKind): Balance {
  const { held, spentDay, spentMonth } = book.totals[kind];
  return { kind, available: availableOf(book, kind), held, spentToday: spentDay, spentThisMonth: spentMonth };
}

function isOpen({ expiresMs, spent, amount }: Grant, nowMs: number): boolean {
  return expiresMs === null ? spent < amount : expiresMs > nowMs;
}
