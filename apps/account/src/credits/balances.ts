import type { CreditKind } from '@market-state/pricing';
import { availableOf, type Book, CREDIT_KINDS, type Grant } from './book';
import type { Credits } from './credits';
import { leftInHolds } from './hold';
import {
  type CeilingStanding,
  ceilingStanding,
  leftInLeases,
  ceilingShortfall,
  limitsWithLeases,
  refusalOf,
  type Shortfall,
} from './limits';
import { lookAtBook, type WorkOf } from './with-book';

/** What a call of some cost would meet and leave now. */
interface ChargePreview {
  readonly balances: readonly Balance[];
  /** Null: it would be let through. `available` counts leases that would go back. */
  readonly refusal: Shortfall | null;
  /** Credits that calls may spend after it, those in leases included; below 0 when there are too few. */
  readonly after: Readonly<Record<CreditKind, number>>;
}

/** A call that somebody thinks of. */
interface PreviewOrder extends WorkOf {
  readonly kind: CreditKind;
  /** What it may cost at most. */
  readonly needed: number;
}

/** Sets nothing aside. @throws ServiceError NOT_FOUND with reason `unknown_tenant` */
export function previewCharge(credits: Credits, { tenantId, keyId, kind, needed }: PreviewOrder): Promise<ChargePreview> {
  return lookAtBook(credits, { tenantId, keyId }, (book) => {
    const left = (each: CreditKind): number =>
      Math.min(
        ...limitsWithLeases(book, each).map(({ control, free }) => free - (each === kind || control === 'credit_ceiling' ? needed : 0)),
      );
    return {
      balances: balancesOf(book),
      refusal: ceilingShortfall(book, kind, needed) ?? refusalOf(book, kind, needed),
      after: { market_state: left('market_state'), export: left('export') },
    };
  });
}

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
function balancesOf(book: Book): Balance[] {
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
