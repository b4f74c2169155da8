import type { CreditKind, PlanId } from '@market-state/pricing';
import type { Renewal } from './calendar';

export const CREDIT_KINDS: readonly CreditKind[] = ['market_state', 'export'];

export type GrantSource = 'plan' | 'trial' | 'topup' | 'sandbox' | 'operator';
type LedgerAccount = 'grant' | 'holds' | 'spent' | 'issued' | 'expired';
type PostingPhase = 'grant' | 'hold' | 'charge' | 'release' | 'expire';

export interface PlanState {
  planId: PlanId | null;
  renewal: Renewal;
  anchorMs: number | null;
  /** No period starts at or after this time. */
  untilMs: number | null;
  disabled: boolean;
  ownCredits: Record<CreditKind, number | null>;
  periodFromMs: number | null;
  periodToMs: number | null;
}

export interface Controls {
  monthlyCreditCap: number | null;
  dailyCreditCap: number | null;
  perCallCreditCeiling: number | null;
  exportCreditCap: number | null;
}

export interface CeilingTerms {
  /** Both kinds together. */
  readonly credits: number;
  readonly windowSeconds: number;
}

/** Ceiling with the amount charged in its current window; the window never moves back. */
export interface Ceiling extends CeilingTerms {
  readonly id: string;
  windowFromMs: number;
  spent: number;
}

/** Sums for one kind of credit. `dayMs` is the current UTC day; it never moves back. */
export interface Totals {
  held: number;
  spent: number;
  issued: number;
  expired: number;
  dayMs: number;
  spentDay: number;
  spentMonth: number;
}

/** `left` excludes held, spent and expired credits. */
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

export interface HoldPart {
  readonly grantId: string;
  readonly amount: number;
}

/** Credits set aside for a lease or a reservation. Parts are charged in order. */
export interface Hold {
  readonly id: string;
  readonly kind: CreditKind;
  readonly operationId: string;
  readonly amount: number;
  left: number;
  readonly parts: readonly HoldPart[];
  /** UTC day whose caps count the charges. */
  readonly countedOnMs: number;
  readonly ceiling: { readonly id: string; readonly windowFromMs: number } | null;
  readonly takenAtMs: number;
  readonly releaseMs: number;
  endedMs: number | null;
  lease: Lease | null;
}

/** A hold with these fields is a lease. */
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

/** Movement of credits, unique by operation, phase and part. */
export interface Posting {
  readonly operationId: string;
  readonly phase: PostingPhase;
  readonly part: number;
  readonly countedOnMs: number;
  readonly entries: readonly Entry[];
}

/** Event for other services or, through them, the tenant; once per occasion. */
export interface OutboxEvent {
  readonly kind: string;
  readonly occasion: string;
  readonly payload: Readonly<Record<string, string | number | null>>;
}

/**
 * A tenant's credits inside one transaction: read, changed in place, then written.
 * - grants: with credits left, ended less than two days ago, or used by an open hold; in order of use
 * - holds: open ones
 * - ceilings: those of the key and of open holds
 */
export interface Book {
  readonly tenantId: string;
  readonly nowMs: number;
  readonly newId: (prefix: 'grn' | 'hld') => string;
  readonly plan: PlanState;
  readonly controls: Controls;
  readonly ceilings: readonly Ceiling[];
  ceiling: Ceiling | null;
  readonly totals: Record<CreditKind, Totals>;
  grants: Grant[];
  readonly holds: Hold[];
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

/** Neither spent nor held. */
export function availableOf(book: Book, kind: CreditKind): number {
  return book.grants.reduce((sum, grant) => (grant.kind === kind ? sum + grant.left : sum), 0);
}
