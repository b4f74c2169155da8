import type { CreditKind } from '@market-state/pricing';
import { availableOf, type Book, CREDIT_KINDS, type Grant } from './book';
import type { Credits } from './credits';
import { leftInHolds } from './hold';
import { type CeilingStanding, ceilingStanding, leftInLeases } from './limits';
import { lookAtBook } from './look-at-book';
import type { WorkOf } from './with-book';

/** Credits of one kind; `available`, `held` and `leasedToGateways` are together what the grants have left. */
export interface Balance {
  readonly kind: CreditKind;
  /** In grants alone. */
  readonly available: number;
  /** In reservations. */
  readonly held: number;
  /** In leases. */
  readonly leasedToGateways: number;
  /** Since midnight UTC, since the first of the month UTC. */
  readonly spentToday: number;
  readonly spentThisMonth: number;
}

/**
 * A tenant's balances, its grants that have not ended or have credits left, and the ceiling of the key; `left` counts here what is held or
 * leased.
 * @throws ServiceError NOT_FOUND with reason `unknown_tenant`
 */
export function getBalances(
  credits: Credits,
  work: WorkOf,
): Promise<{ readonly balances: readonly Balance[]; readonly grants: readonly Grant[]; readonly ceiling: CeilingStanding | null }> {
  return lookAtBook(credits, work, (book) => ({
    balances: balancesOf(book),
    grants: openGrants(book),
    ceiling: ceilingStanding(book),
  }));
}

/** Balances of both kinds. */
export function balancesOf(book: Book): Balance[] {
  return CREDIT_KINDS.map((kind) => {
    const { held, spentDay, spentMonth } = book.totals[kind];
    const leasedToGateways = leftInLeases(book, (hold) => hold.kind === kind);
    return {
      kind,
      available: availableOf(book, kind),
      held: held - leasedToGateways,
      leasedToGateways,
      spentToday: spentDay,
      spentThisMonth: spentMonth,
    };
  });
}

function openGrants(book: Book): Grant[] {
  return book.grants
    .map((grant) => ({ ...grant, left: grant.left + leftInHolds(book, grant) }))
    .filter(({ left, expiresMs }) => left > 0 || (expiresMs !== null && expiresMs > book.nowMs));
}
