import { account } from '@market-state/contracts';
import { createClient } from '@market-state/grpc';
import { createCloser } from '@market-state/lifecycle';
import { silentLogger } from '@market-state/logging';
import { createMetrics } from '@market-state/telemetry';
import { startAccountProcess, startStores, testPeer, waitUntil } from '@market-state/testing';
import { createLeaseCredits } from '../../src/delivery/credits';

const closer = createCloser();
afterAll(() => closer.close(), 60_000);

/** Leases from the account service, and a tenant without credits. */
async function openCredits() {
  const stores = await startStores({ services: ['account'] });
  closer.add('stores', () => stores.stop());
  const { address, ready } = await startAccountProcess(closer, stores.postgresUrl('account'));
  await ready();
  const peer = testPeer('account');
  const client = createClient({ definition: account.CreditServiceService, peer, address });
  closer.add('client', () => client.close());
  const operator = createClient({ definition: account.OperatorServiceService, peer, address, deadlineMs: 5_000 });
  closer.add('operator', () => operator.close());
  const { tenant } = await operator.call.ensureTenant({ name: 'one', planId: '', renewal: account.Renewal.NONE });
  const tenantId = tenant?.tenantId ?? '';
  const grant = (marketStateCredits: number) =>
    operator.call.grantCredits({ tenantId, marketStateCredits, exportCredits: 0, expiresTsMs: 0, note: 'for the test' });
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
  return { tenantId, grant, posted, open, client };
}

test('account charges a delivery once across workers, and grants no more credits than there are', async () => {
  const { tenantId, grant, posted, open, client } = await openCredits();
  await grant(2);
  const first = open('worker_one');
  for (const deliveryId of ['dlv_one', 'dlv_two']) {
    const credit = await first.hold(tenantId);
    credit?.charge(deliveryId);
  }
  await waitUntil('both charges', () => posted.length === 2);
  expect([...posted].sort()).toEqual(['dlv_one', 'dlv_two']);
  expect(await first.hold(tenantId)).toBeUndefined();
  await first.close();
  await grant(1);
  const second = open('worker_two');
  (await second.hold(tenantId))?.charge('dlv_one');
  await waitUntil('the charge again', () => posted.length === 3);
  await second.close();
  const third = open('worker_three');
  const left = await third.hold(tenantId);
  expect(left).toBeDefined();
  left?.cancel();
  await third.close();
  const all = { tenantId, receiptId: '', requestId: '', workloadFamily: '', fromTsMs: 0, toTsMs: 0, limit: 10, cursor: '' };
  const { receipts } = await client.call.listReceipts(all);
  expect(receipts.map(({ operationId, priced }) => [operationId, priced?.workloadFamily]).sort()).toEqual([
    ['dlv_one', 'workflow_automation'],
    ['dlv_two', 'workflow_automation'],
  ]);
}, 120_000);
