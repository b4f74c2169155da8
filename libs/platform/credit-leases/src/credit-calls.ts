import type { ServiceError } from '@market-state/errors';

/** Payer of a charge: a tenant, and a key or account; neither of these for work without a call. */
export interface Caller {
  tenantId: string;
  keyId: string;
  accountId: string;
}

/** Cost of work and its prices. */
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

/** Completed work. */
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

/** Result of posting a batch. */
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
  /** Key whose ceiling the lease counts against; absent: none. */
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

/** A lease, or account's refusal. */
export interface LeaseAnswer<Refusal> {
  readonly lease?: GrantedLease | undefined;
  readonly refusal?: Refusal | undefined;
}

interface Deadline {
  readonly deadlineMs: number;
}

/** Ledger calls that leases need, as in a client of account's contract. */
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

/** Reason why a call got no credits: refused by account, above the tenant's limit per call, or not countable now. */
export type RefusedReason = 'credits' | 'call_ceiling' | 'unavailable';

/** Errors created by the process and thrown by `LeaseHolder.hold`. */
export interface Refusals<Refusal> {
  /** Account refused the required credits. */
  creditsRefused(refusal: Refusal, needed: number): Error;
  /** The work costs more than the tenant allows per call. */
  callTooDear(needed: number, ceiling: number): Error;
  /** Credits cannot be counted now. */
  meteringUnavailable(cause?: ServiceError): Error;
}
