import type { account } from '@market-state/contracts';

/** A call of a tenant's key that costs so many market-state credits. */
export function chargeOf(tenantId: string, operationId: string, credits: number, servedTsMs: number): account.Charge {
  return {
    operationId,
    requestId: `req_${operationId}`,
    caller: { tenantId, keyId: 'key_1', accountId: '' },
    priced: pricedAt(credits, 0),
    status: 200,
    servedTsMs,
  };
}

/** What work costs that was estimated and observed alike. */
export function pricedAt(marketState: number, exports: number): account.Priced {
  return {
    method: 'GET',
    route: '/api/public/market-state/latest',
    workloadFamily: exports > 0 ? 'export_job' : 'latest_packet',
    priceVersion: 'market_state_prices.v2',
    estimatedMarketStateCredits: marketState,
    observedMarketStateCredits: marketState,
    estimatedExportCredits: exports,
    observedExportCredits: exports,
    quoteId: '',
    artifactIds: [],
  };
}
