import type { ServiceError } from '@market-state/errors';

/** Who a charge is for: a tenant, and a key or an account; neither for what is done for the tenant without a call of it. */
export interface Caller {
  tenantId: string;
  keyId: string;
  accountId: string;
}

/** What work costs, by which prices. */
export interface Priced {
  method: string;
  route: string;
  workloadFamily: string;
  priceVersion: string;
  estimatedMarketStateCredits: number;
  observedMarketStateCredits: number;
  estimatedExportCredits: number;
  observedExportCredits: number;
  quoteId: string;
  artifactIds: string[];
}

/** Work that was done. */
export interface Charge {
  operationId: string;
  requestId: string;
  caller?: Caller | undefined;
  priced?: Priced | undefined;
  status: number;
  /** Milliseconds since the epoch. */
  servedTsMs: number;
}

export interface ChargeBatch {
  leaseId: string;
  batch: number;
  charges: Charge[];
}

export interface PostedBatch {
  readonly available: number;
  readonly leaseLeft: number;
}

/** What became of a batch. */
export type BatchOutcome =
  | { readonly $case: 'posted'; readonly value: PostedBatch }
  | {
      readonly $case: 'failed';
      readonly value: { readonly code: number; readonly sentence: string; readonly metadata: Readonly<Record<string, string>> };
    }
  | undefined;

export interface LeaseOrder {
  tenantId: string;
  gatewayId: string;
  needed: number;
  wanted: number;
  /** The key whose ceiling the lease counts against; absent: none. */
  keyId?: string | undefined;
}

export interface GrantedLease {
  readonly leaseId: string;
  readonly amount: number;
  readonly endsAtReset: boolean;
  readonly available: number;
  readonly perCallCeiling?: number | undefined;
  readonly lifeMs: number;
}

/** A lease, or what refused it, as account describes that. */
export interface LeaseAnswer<Refusal> {
  readonly lease?: GrantedLease | undefined;
  readonly refusal?: Refusal | undefined;
}

interface Deadline {
  readonly deadlineMs: number;
}

/** The calls to account's ledger that leases need; a client of its contract has them. */
export interface CreditCalls<Refusal> {
  takeLease(order: LeaseOrder, options: Deadline): Promise<LeaseAnswer<Refusal>>;
  postCharges(
    request: { batches: ChargeBatch[] },
    options: Deadline,
  ): Promise<{ readonly outcomes: { readonly outcome?: BatchOutcome }[] }>;
  endLease(request: { leaseId: string }, options: Deadline): Promise<unknown>;
  watchRecalls(
    request: { gatewayId: string },
    options: { readonly signal: AbortSignal; readonly idleLimitMs: number },
  ): AsyncIterable<{ readonly leaseIds: readonly string[] }>;
}

/** Why a call got no credits: account refused them, one call costs more than the tenant allows, or credits cannot be counted now. */
export type RefusedReason = 'credits' | 'call_ceiling' | 'unavailable';

/** What whoever asks for credits is told when there are none: made by the process, thrown by `LeaseHolder.hold`. */
export interface Refusals<Refusal> {
  /** Account refused the credits that work needs. */
  creditsRefused(refusal: Refusal, needed: number): Error;
  /** One piece of work costs more than the tenant allows for one. */
  callTooDear(needed: number, ceiling: number): Error;
  /** Credits cannot be counted now. */
  meteringUnavailable(cause?: ServiceError): Error;
}
