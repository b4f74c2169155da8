import type { CreditKind, PlanId } from '@market-state/pricing';
import type { Renewal } from './calendar';

export const CREDIT_KINDS: readonly CreditKind[] = ['market_state', 'export'];

export type GrantSource = 'plan' | 'trial' | 'topup' | 'sandbox' | 'operator';
type LedgerAccount = 'grant' | 'holds' | 'spent' | 'issued' | 'expired';
type PostingPhase = 'grant' | 'hold' | 'charge' | 'release' | 'expire';

/** What a tenant has bought, and the period whose credits it was given last. Times are milliseconds since the epoch. */
export interface PlanState {
  planId: PlanId | null;
  renewal: Renewal;
  anchorMs: number | null;
  /** No period begins then or later. */
  untilMs: number | null;
  disabled: boolean;
  ownCredits: Record<CreditKind, number | null>;
  periodFromMs: number | null;
  periodToMs: number | null;
}

/** Limits in credits; null: no limit. */
export interface Controls {
  monthlyCreditCap: number | null;
  dailyCreditCap: number | null;
  perCallCreditCeiling: number | null;
  exportCreditCap: number | null;
}

/** What a key may cost in each window. */
export interface CeilingTerms {
  /** Of both kinds together. */
  readonly credits: number;
  readonly windowSeconds: number;
}

/** A ceiling and what was charged in the window whose charges it counts, which never goes back. */
export interface Ceiling extends CeilingTerms {
  readonly id: string;
  windowFromMs: number;
  spent: number;
}

/** Sums of one kind of credit. Days and months are UTC, those of `dayMs`, which never goes back. */
export interface Totals {
  held: number;
  spent: number;
  issued: number;
  expired: number;
  dayMs: number;
  spentDay: number;
  spentMonth: number;
}

/** Credits given. `left` is neither held, nor spent, nor expired. */
export interface Grant {
  readonly id: string;
  readonly kind: CreditKind;
  readonly source: GrantSource;
  readonly operationId: string;
  readonly note: string;
  readonly amount: number;
  left: number;
  spent: number;
  readonly grantedMs: number;
  readonly expiresMs: number | null;
}

/** A part of a hold. */
export interface HoldPart {
  readonly grantId: string;
  readonly amount: number;
}

/** Credits set aside, for a lease or a reservation. Its parts are charged in their order. */
export interface Hold {
  readonly id: string;
  readonly kind: CreditKind;
  readonly operationId: string;
  readonly amount: number;
  left: number;
  readonly parts: readonly HoldPart[];
  /** The day whose caps the charges count against. */
  readonly countedOnMs: number;
  /** The ceiling, and the start of the window, that its charges count against; null: none. */
  readonly ceiling: { readonly id: string; readonly windowFromMs: number } | null;
  readonly takenMs: number;
  readonly releaseMs: number;
  endedMs: number | null;
  lease: Lease | null;
}

/** What makes a hold a lease. */
export interface Lease {
  readonly gatewayId: string;
  readonly expiresMs: number;
  readonly endsAtReset: boolean;
  lastBatch: number;
  recalledMs: number | null;
}

export interface Entry {
  readonly kind: CreditKind;
  readonly account: LedgerAccount;
  readonly grantId: string | null;
  readonly amount: number;
}

/** One movement of credits, unique by operation, phase and part. */
export interface Posting {
  readonly operationId: string;
  readonly phase: PostingPhase;
  readonly part: number;
  readonly countedOnMs: number;
  readonly entries: readonly Entry[];
}

/** Something that other services, or the tenant through them, are told; once for each occasion. */
export interface OutboxEvent {
  readonly kind: string;
  readonly occasion: string;
  readonly payload: Readonly<Record<string, string | number | null>>;
}

/**
 * A tenant's credits as they are worked on inside one transaction: what was read, changed in place, and what is to be written. The grants
 * are those with credits left, those that end later than two days ago, and those that an open hold names, in their order of use; the holds
 * are those not ended; the ceilings are that of the key whose work it is and those that an open hold names.
 */
export interface Book {
  readonly tenantId: string;
  readonly nowMs: number;
  readonly newId: (prefix: 'grn' | 'hld') => string;
  readonly plan: PlanState;
  readonly controls: Controls;
  readonly ceilings: readonly Ceiling[];
  /** The ceiling that the work counts against; null: none. */
  ceiling: Ceiling | null;
  readonly totals: Record<CreditKind, Totals>;
  grants: Grant[];
  readonly holds: Hold[];
  /** To be written. */
  readonly postings: Posting[];
  readonly events: OutboxEvent[];
  readonly changedGrants: Set<Grant>;
  readonly changedHolds: Set<Hold>;
  readonly changedCeilings: Set<Ceiling>;
  planChanged: boolean;
}

export function grantOf(book: Book, grantId: string): Grant {
  const grant = book.grants.find(({ id }) => id === grantId);
  if (grant === undefined) throw new Error(`grant ${grantId} is not in the book of ${book.tenantId}`);
  return grant;
}

/** Credits in grants: neither spent nor held. */
export function availableOf(book: Book, kind: CreditKind): number {
  return book.grants.reduce((sum, grant) => (grant.kind === kind ? sum + grant.left : sum), 0);
}
