import type { account } from '@market-state/contracts';
import { PRICE_VERSION } from '@market-state/pricing';

/** The charge of a delivered message, under the route that shows it: the sending is no call of ours. */
export function createCharge(tenantId: string, deliveryId: string, servedTsMs: number): account.Charge {
  return {
    operationId: deliveryId,
    requestId: deliveryId,
    caller: { tenantId, keyId: '', accountId: '' },
    priced: {
      method: 'GET',
      route: '/api/public/market-state/webhooks/deliveries',
      workloadFamily: 'workflow_automation',
      priceVersion: PRICE_VERSION,
      estimatedMarketStateCredits: 1,
      observedMarketStateCredits: 1,
      estimatedExportCredits: 0,
      observedExportCredits: 0,
      quoteId: '',
      artifactIds: [],
    },
    status: 200,
    servedTsMs,
  };
}
