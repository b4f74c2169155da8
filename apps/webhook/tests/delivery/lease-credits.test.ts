import { account } from '@market-state/contracts';
import { createClient } from '@market-state/grpc';
import { createCloser } from '@market-state/lifecycle';
import { silentLogger } from '@market-state/logging';
import { createMetrics } from '@market-state/telemetry';
import { startAccountProcess, startStores, testPeer, waitUntil } from '@market-state/testing';
import { createLeaseCredits } from '../../src/charging/lease-credits';

const closer = createCloser();
afterAll(() => closer.close(), 60_000);

/** Leases of the account service, and a tenant with so many credits. */
async function openCredits(marketStateCredits: number) {
  const stores = await startStores({ services: ['account'] });
  closer.add('stores', () => stores.stop());
  const { address, stop } = await startAccountProcess(stores.postgresUrl('account'));
  closer.add('account', stop);
  const peer = testPeer('account');
  const client = createClient({ definition: account.CreditServiceService, peer, address });
  closer.add('client', () => client.close());
  const operator = createClient({ definition: account.OperatorServiceService, peer, address, deadlineMs: 5_000 });
  closer.add('operator', () => operator.close());
  const { tenant } = await operator.call.ensureTenant({ name: 'one', planId: '', renewal: account.Renewal.NONE });
  const tenantId = tenant?.tenantId ?? '';
  await operator.call.grantCredits({ tenantId, marketStateCredits, exportCredits: 0, expiresTsMs: 0, note: 'for the test' });
  const posted: string[] = [];
  const open = (worker: string) =>
    createLeaseCredits({
      worker,
      credits: client,
      onPosted: (deliveryIds) => void posted.push(...deliveryIds),
      clock: Date.now,
      logger: silentLogger(),
      metrics: createMetrics('webhook-worker'),
    });
  return { tenantId, posted, open, client };
}

test('account charges a delivery once, whoever posts it, and gives no more credits than there are', async () => {
  const { tenantId, posted, open, client } = await openCredits(3);
  const first = open('worker_one');
  const held = [await first.hold(tenantId), await first.hold(tenantId), await first.hold(tenantId)];
  expect(held.every((credit) => credit !== undefined)).toBe(true);
  expect(await first.hold(tenantId)).toBeUndefined();
  held[0]?.charge('dlv_one');
  held[1]?.charge('dlv_two');
  held[2]?.cancel();
  await waitUntil('both charges', () => posted.length === 2);
  expect([...posted].sort()).toEqual(['dlv_one', 'dlv_two']);
  await first.close();
  const second = open('worker_two');
  (await second.hold(tenantId))?.charge('dlv_one');
  await waitUntil('the charge again', () => posted.length === 3);
  const last = await second.hold(tenantId);
  expect(last).toBeDefined();
  last?.cancel();
  await second.close();
  const { receipts } = await client.call.listReceipts({
    tenantId,
    fromTsMs: 0,
    toTsMs: Date.now() + 60_000,
    pageSize: 10,
    pageToken: '',
  } as never);
  expect(receipts.map(({ charge }) => [charge?.operationId, charge?.priced?.workloadFamily]).sort()).toEqual([
    ['dlv_one', 'workflow_automation'],
    ['dlv_two', 'workflow_automation'],
  ]);
}, 120_000);
