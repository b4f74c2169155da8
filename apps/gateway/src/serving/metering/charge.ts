import { randomUUID } from 'node:crypto';
import type { account } from '@market-state/contracts';
import { PRICE_VERSION } from '@market-state/pricing';
import type { Grant } from '../auth/grant';
import type { Operation } from '../openapi/operations';
import type { CallPrice } from '@market-state/pricing';

/** What every charge of a call says, whatever it comes to. */
export interface ChargedCall {
  readonly operation: Operation;
  readonly price: CallPrice;
  readonly caller: account.Caller;
  /** Whether it counts against a credit ceiling of the caller's key. */
  readonly hasCeiling: boolean;
  readonly requestId: string;
  /** Empty without a quote. */
  readonly quoteId: string;
}

/** An id that no other call has; never the one that the caller sent. */
export function newOperationId(): string {
  return `op_${randomUUID()}`;
}

export function callerOf({ tenantId, keyId, accountId }: Grant): account.Caller {
  return { tenantId, keyId: keyId ?? '', accountId: accountId ?? '' };
}

/** What a call came to, in market-state credits. */
export function pricedAt(
  { operation, price, quoteId }: Pick<ChargedCall, 'operation' | 'price' | 'quoteId'>,
  estimated: number,
  observed: number,
): account.Priced {
  return {
    method: operation.method.toUpperCase(),
    route: operation.path,
    workloadFamily: price.family,
    priceVersion: PRICE_VERSION,
    estimatedMarketStateCredits: estimated,
    observedMarketStateCredits: observed,
    estimatedExportCredits: 0,
    observedExportCredits: 0,
    quoteId,
    artifactIds: [],
  };
}

/** The charge of a served call. */
export function makeCharge(
  { caller, requestId }: Pick<ChargedCall, 'caller' | 'requestId'>,
  operationId: string,
  priced: account.Priced,
  status: number,
  servedTsMs: number,
): account.Charge {
  return { operationId, requestId, caller, priced, status, servedTsMs };
}
