import type { CreditKind } from '@market-state/pricing';
import { availableOf, type Book, CREDIT_KINDS, type Grant } from './credit-ledger';
import type { Credits } from './credits';
import { charge, leftInHolds } from './hold';
import { type CeilingStatus, ceilingStatus, leftInLeases, ceilingShortfall, limitsWithLeases, refusalOf, type Shortfall } from './limits';
import { readCreditBook, type WorkOf } from './with-credit-ledger';

interface ChargePreview {
  readonly balances: readonly Balance[];
  /** Null if the call would be allowed. `available` assumes that leases are returned. */
  readonly refusal: Shortfall | null;
  /** Spendable credits afterwards, including leases; negative if there are too few. */
  readonly after: Readonly<Record<CreditKind, number>>;
}

interface PreviewOrder extends WorkOf {
  readonly kind: CreditKind;
  readonly needed: number;
  /** Count as posted, unless their batch is. */
  readonly unacknowledged: readonly UnacknowledgedCharges[];
}

interface UnacknowledgedCharges {
  readonly leaseId: string;
  readonly batch: number;
  readonly credits: number;
}

/** Reserves nothing. @throws ServiceError `unknown_tenant` */
export function previewCharge(credits: Credits, { tenantId, keyId, kind, needed, unacknowledged }: PreviewOrder): Promise<ChargePreview> {
  return readCreditBook(credits, { tenantId, keyId }, (stored) => {
    const book = withCharges(stored, unacknowledged);
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

/** Copy of a book after charges; those beyond their lease, or of an ended one, are lost. */
function withCharges(stored: Book, charges: readonly UnacknowledgedCharges[]): Book {
  if (charges.length === 0) return stored;
  const { market_state: marketState, export: exports } = stored.totals;
  const ceilings = stored.ceilings.map((ceiling) => ({ ...ceiling }));
  const book: Book = {
    ...stored,
    totals: { market_state: { ...marketState }, export: { ...exports } },
    ceilings,
    ceiling: ceilings.find(({ id }) => id === stored.ceiling?.id) ?? null,
    grants: stored.grants.map((grant) => ({ ...grant })),
    holds: stored.holds.map((hold) => ({ ...hold })),
    postings: [],
    events: [],
    changedGrants: new Set(),
    changedHolds: new Set(),
    changedCeilings: new Set(),
  };
  for (const { leaseId, batch, credits } of charges) {
    const lease = book.holds.find(({ id }) => id === leaseId);
    if (lease?.lease && batch > lease.lease.lastBatch && credits <= lease.left) charge(book, lease, credits, batch);
  }
  return book;
}

/** `available`, `held` and `leasedToGateways` add up to what grants have left. */
export interface Balance {
  readonly kind: CreditKind;
  readonly available: number;
  readonly held: number;
  readonly leasedToGateways: number;
  /** Since midnight UTC and since the first of the month UTC. */
  readonly spentToday: number;
  readonly spentThisMonth: number;
}

/**
 * Includes grants that are active or have credits left; `left` includes held and leased credits.
 * @throws ServiceError `unknown_tenant`
 */
export function getBalances(
  credits: Credits,
  work: WorkOf,
): Promise<{ readonly balances: readonly Balance[]; readonly grants: readonly Grant[]; readonly ceiling: CeilingStatus | null }> {
  return readCreditBook(credits, work, (book) => ({
    balances: balancesOf(book),
    grants: openGrants(book),
    ceiling: ceilingStatus(book),
  }));
}

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
