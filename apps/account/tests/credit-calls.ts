import { account } from '@market-state/contracts';
import { createLogger } from '@market-state/logging';
import { ledgerAudit } from '../src/credits/ledger-audit';
import { sweepCredits } from '../src/credits/with-credit-ledger';
import { type CreditsUnderTest, NOON_MS, pricedAt, startCreditsUnderTest } from './credits-under-test';

const MINUTE_MS = 60_000;

export interface CreditCalls {
  readonly call: CreditsUnderTest['client']['call'];
  /** Runs the service's periodic sweep. */
  sweepNow(): Promise<number>;
  take(tenantId: string, needed: number, wanted?: number, gatewayId?: string): Promise<account.Lease>;
  balanceOf(tenantId: string, kind?: account.CreditKind): Promise<Partial<account.Balance>>;
}

function creditCalls(under: CreditsUnderTest): CreditCalls {
  const { call } = under.client;
  return {
    call,
    sweepNow: () => sweepCredits({ pool: under.pool, clock: under.now, logger: createLogger('test', { level: 'silent' }) }),
    async take(tenantId, needed, wanted = needed, gatewayId = 'gw_1') {
      const { lease } = await call.takeLease({ tenantId, gatewayId, needed, wanted: Math.max(1, wanted) });
      if (lease === undefined) throw new Error('no lease');
      return lease;
    },
    async balanceOf(tenantId, kind = account.CreditKind.MARKET_STATE) {
      const { balances } = await call.getBalances({ tenantId });
      const { available, held, leasedToGateways, spentToday, spentThisMonth } = balances.find((one) => one.kind === kind) ?? {};
      return { available, held, leasedToGateways, spentToday, spentThisMonth };
    },
  };
}

/** Starts the service for a test file. Each test starts at noon and ends with a consistent ledger. */
export function testCredits(use: (under: CreditsUnderTest, calls: CreditCalls) => void): void {
  let under: CreditsUnderTest;
  let calls: CreditCalls;
  beforeAll(async () => {
    under = await startCreditsUnderTest();
    calls = creditCalls(under);
    use(under, calls);
  });
  beforeEach(() => under.setNow(NOON_MS));
  afterEach(async () => {
    await calls.sweepNow();
    const { faults } = await ledgerAudit(under.pool, under.now());
    expect(faults).toEqual([]);
  });
  afterAll(() => under.stop());
}

export function reservation(tenantId: string, operationId: string, marketState: number, exports: number): account.ReserveRequest {
  const priced = { ...pricedAt(marketState, exports), observedMarketStateCredits: 0, observedExportCredits: 0 };
  return {
    operationId,
    caller: { tenantId, keyId: 'key_1', accountId: '' },
    requestId: `req_${operationId}`,
    priced,
    expiresTsMs: NOON_MS + 5 * MINUTE_MS,
  };
}

export function anyReceipt(tenantId: string): account.ListReceiptsRequest {
  return { tenantId, receiptId: '', requestId: '', workloadFamily: '', fromTsMs: 0, toTsMs: 0, limit: 100, cursor: '' };
}
