import { account } from '@market-state/contracts';
import { createClient, type GrpcClient } from '@market-state/grpc';
import { createLogger } from '@market-state/logging';
import { createPool, inTransaction } from '@market-state/postgres';
import { patientPeer } from '@market-state/testing';
import { grantCredits } from '../src/credits/grants';
import { type AccountUnderTest, startAccountUnderTest } from './account-under-test';
import { pricedAt } from './credits-under-test';

describe('receipts that anyone may see', () => {
  let service: AccountUnderTest;
  let client: GrpcClient<account.ShownReceiptServiceService>;
  beforeAll(async () => {
    service = await startAccountUnderTest({ config: { shownTenant: 'in the window' } });
    client = createClient({ definition: account.ShownReceiptServiceService, ...patientPeer('account'), address: service.server.address });
  });
  afterAll(async () => {
    await client.close();
    await service.stop();
  });

  async function tenantWithReceipts(id: string, name: string, receipts: number): Promise<void> {
    const pool = createPool({
      url: service.stores.postgresUrl('account'),
      logger: createLogger('test', { level: 'silent' }),
      applicationName: 'test',
    });
    const credits = createClient({ definition: account.CreditServiceService, ...patientPeer('account'), address: service.server.address });
    try {
      await pool.query('INSERT INTO tenant (id, name, created_at) VALUES ($1, $2, now())', [id, name]);
      await inTransaction(pool, (db) =>
        grantCredits(db, id, {
          source: 'operator',
          operationId: 'first',
          note: '',
          credits: { market_state: 100, export: 0 },
          expiresMs: null,
          nowMs: Date.now(),
        }),
      );
      for (let index = 0; index < receipts; index += 1) {
        const operationId = `operation_of_${id}_${index}`;
        const priced = { ...pricedAt(2, 0), quoteId: `quote_of_${id}`, artifactIds: [`artifact_of_${id}`] };
        await credits.call.reserve({
          operationId,
          caller: { tenantId: id, keyId: `key_of_${id}`, accountId: '' },
          requestId: `request_of_${id}`,
          priced,
          expiresTsMs: Date.now() + 60_000,
        });
        await credits.call.settle({
          operationId,
          observedMarketStateCredits: 1,
          observedExportCredits: 0,
          artifactIds: [`artifact_of_${id}`],
        });
      }
    } finally {
      await credits.close();
      await pool.end();
    }
  }

  it('are none before the tenant is there', async () => {
    expect(await client.call.listShownReceipts({ limit: 10, servedBeforeTsMs: 0 })).toEqual({ receipts: [] });
  });

  it('are those of the shown tenant alone, newest first, without who called and by what id', async () => {
    await tenantWithReceipts('ten_shown', 'in the window', 3);
    await tenantWithReceipts('ten_other', 'somebody else', 2);
    const { receipts } = await client.call.listShownReceipts({ limit: 2, servedBeforeTsMs: 0 });
    expect(receipts).toHaveLength(2);
    expect(receipts[0]).toMatchObject({
      status: 200,
      priced: {
        workloadFamily: 'latest_packet',
        estimatedMarketStateCredits: 2,
        observedMarketStateCredits: 1,
        quoteId: '',
        artifactIds: [],
      },
    });
    expect(receipts[0]?.servedTsMs).toBeGreaterThanOrEqual(receipts[1]?.servedTsMs ?? Infinity);
    expect(JSON.stringify(receipts)).not.toMatch(/ten_|_of_/);
    expect(await client.call.listShownReceipts({ limit: 10, servedBeforeTsMs: receipts[1]?.servedTsMs ?? 0 })).not.toEqual({ receipts });
    expect(await client.call.listShownReceipts({ limit: 10, servedBeforeTsMs: 1 })).toEqual({ receipts: [] });
  });

  it.each([0, 101])('of %i at once are refused', async (limit) => {
    await expect(client.call.listShownReceipts({ limit, servedBeforeTsMs: 0 })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      faults: [{ field: 'limit' }],
    });
  });
});

describe('an installation that shows no tenant', () => {
  it('shows no receipt', async () => {
    const service = await startAccountUnderTest();
    const client = createClient({
      definition: account.ShownReceiptServiceService,
      ...patientPeer('account'),
      address: service.server.address,
    });
    expect(await client.call.listShownReceipts({ limit: 10, servedBeforeTsMs: 0 })).toEqual({ receipts: [] });
    await client.close();
    await service.stop();
  });
});
