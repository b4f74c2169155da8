import { account } from '@market-state/contracts';
import { bindService, type BoundService } from '@market-state/grpc';

/** Three public receipts, a second apart, older than any test instant. */
export function standInShownReceipts(refuseWhenDown: () => void): BoundService {
  const receipts = Array.from({ length: 3 }, (_receipt, index) => ({
    receiptId: `rcp_shown_${index}`,
    planId: 'public_pro',
    priced: {
      ...{
        method: 'GET',
        route: '/api/public/market-state/latest',
        workloadFamily: 'latest_packet',
        priceVersion: 'market_state_prices.v2',
        quoteId: '',
        artifactIds: [],
      },
      ...{
        estimatedMarketStateCredits: 2,
        observedMarketStateCredits: index === 0 ? 1 : 2,
        estimatedExportCredits: 0,
        observedExportCredits: 0,
      },
    },
    status: 200,
    servedTsMs: Date.parse('2025-12-31T00:00:00.000Z') - index * 1_000,
  }));
  return bindService(account.ShownReceiptServiceService, {
    async listShownReceipts({ limit }) {
      refuseWhenDown();
      return { receipts: receipts.slice(0, limit) };
    },
  });
}
