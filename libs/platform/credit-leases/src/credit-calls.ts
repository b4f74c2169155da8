import type { ServiceError } from '@market-state/errors';

/** Neither key nor account for work without a call. */
export interface Caller {
  tenantId: string;
  keyId: string;
  accountId: string;
}

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

export interface Charge {
  operationId: string;
  requestId: string;
  caller?: Caller | undefined;
  priced?: Priced | undefined;
  status: number;
  /** Milliseconds since the epoch. */
  servedTsMs: number;
}

/** Calls of one caller at one price; the lists have one entry per call. */
export interface ChargeGroup {
  caller: Caller | undefined;
  priced: Priced | undefined;
  status: number;
  operationIds: string[];
  requestIds: string[];
  servedTsMs: number[];
}

/** Either charges or groups. */
export interface ChargeBatch {
  leaseId: string;
  batch: number;
  charges: Charge[];
  groups: ChargeGroup[];
}

export interface PostedBatch {
  readonly available: number;
  readonly leaseLeft: number;
}

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
  /** Key whose ceiling applies. */
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

export interface LeaseAnswer<Refusal> {
  readonly lease?: GrantedLease | undefined;
  readonly refusal?: Refusal | undefined;
}

interface Deadline {
  readonly deadlineMs: number;
}

/** A client of account's contract implements it. */
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

/** Refused by account, above the tenant's limit per call, or not countable now. */
export type RefusedReason = 'credits' | 'call_ceiling' | 'unavailable';

/** Errors that `LeaseHolder.hold` throws. */
export interface Refusals<Refusal> {
  creditsRefused(refusal: Refusal, needed: number): Error;
  callTooDear(needed: number, ceiling: number): Error;
  meteringUnavailable(cause?: ServiceError): Error;
}
