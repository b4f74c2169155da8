import { account, createMessage } from '@market-state/contracts';
import type { Lease, LeaseRegistry } from '@market-state/credit-leases';
import { silentLogger } from '@market-state/logging';
import { createMetrics } from '@market-state/telemetry';
import { waitUntil } from '@market-state/testing';
import { fromKeyGrant } from '../src/serving/auth/credentials';
import { createCreditLeases, createMeter } from '../src/serving/metering/meter';
import { operationById } from '../src/serving/openapi/operations';
import { type ServedCredits, serveCredits } from './stand-in/credit-service';

const TENANT = 'ten_1';
let chargeTotal = 0;

function charge(credits: number): account.Charge {
  chargeTotal += 1;
  return {
    operationId: `op_${chargeTotal}`,
    requestId: `req_${chargeTotal}`,
    caller: { tenantId: TENANT, keyId: 'key_1', accountId: '' },
    priced: {
      method: 'GET',
      route: '/x',
      workloadFamily: 'latest_packet',
      priceVersion: 'v1',
      estimatedMarketStateCredits: credits,
      observedMarketStateCredits: credits,
      estimatedExportCredits: 0,
      observedExportCredits: 0,
      quoteId: '',
      artifactIds: [],
    },
    status: 200,
    servedTsMs: Date.now(),
  };
}

describe('credit leases', () => {
  let served: ServedCredits;
  let offsetMs = 0;
  const registries: LeaseRegistry[] = [];

  function openRegistry(): LeaseRegistry {
    const registry = createCreditLeases({
      credits: served.client,
      logger: silentLogger(),
      metrics: createMetrics('gateway'),
      monotonicMs: () => performance.now() + offsetMs,
    });
    registries.push(registry);
    return registry;
  }

  async function spend(registry: LeaseRegistry, credits: number): Promise<Lease> {
    const lease = await registry.holderOf(TENANT).hold(credits);
    lease.settle(credits, charge(credits));
    return lease;
  }

  beforeEach(async () => {
    offsetMs = 0;
    served = await serveCredits();
  });
  afterEach(async () => {
    await Promise.all(registries.splice(0).map((registry) => registry.close()));
    await served.close();
  });

  it('charges every call once, in few batches, and gives back what is left', async () => {
    served.credits.grant(TENANT, 1_000);
    const registry = openRegistry();
    await Promise.all(Array.from({ length: 100 }, () => spend(registry, 3)));
    await waitUntil('all posted', () => served.credits.spent(TENANT) === 300);
    expect(new Set(served.credits.receipts(TENANT).map(({ operationId }) => operationId)).size).toBe(100);
    expect(served.credits.postTotal()).toBeLessThan(30);
    await registry.close();
    expect(served.credits.held(TENANT)).toBe(0);
    expect(served.credits.spent(TENANT)).toBe(300);
  });

  it('posts the charges of all tenants in one call, and one whose lease is over fails alone', async () => {
    const registry = openRegistry();
    const tenants = Array.from({ length: 5 }, (_unused, index) => `ten_of_many_${index}`);
    const leases = await Promise.all(tenants.map((tenantId) => registry.holderOf(tenantId).hold(2)));
    const [ended] = leases;
    await served.client.call.endLease({ leaseId: ended?.id ?? '' });
    for (const lease of leases) lease.settle(2, charge(2));
    await waitUntil('all posted', () => served.credits.postTotal() === 5);
    await waitUntil('answered', () => ended?.unspent() === 0);
    expect(served.client.unaryCallTotal('postCharges')).toBe(1);
    expect(tenants.map((tenantId) => served.credits.spent(tenantId))).toEqual([0, 2, 2, 2, 2]);
    expect(served.credits.receipts('ten_of_many_1')).toMatchObject([
      { caller: { tenantId: TENANT, keyId: 'key_1' }, priced: { observedMarketStateCredits: 2 } },
    ]);
  });

  it('restores each charge in full, including fields shared with the previous charge', async () => {
    const registry = openRegistry();
    const lease = await registry.holderOf(TENANT).hold(30);
    const plain = charge(1);
    const otherKey = { ...charge(1), caller: { tenantId: TENANT, keyId: 'key_2', accountId: '' } };
    const quoted = charge(1);
    const charges = [
      plain,
      charge(1),
      otherKey,
      { ...quoted, caller: otherKey.caller, priced: { ...(quoted.priced as account.Priced), quoteId: 'q_1' } },
      charge(3),
      charge(0),
    ];
    for (const each of charges) lease.settle(5, each);
    await registry.holderOf(TENANT).posted();
    const reported = ({ operationId, requestId, caller, priced, status }: account.Charge | account.Receipt) => ({
      operationId,
      requestId,
      caller,
      priced,
      status,
    });
    // Receipts are in the order of the milliseconds in which the charges were made.
    const byOperation = (one: { operationId: string }, other: { operationId: string }) => one.operationId.localeCompare(other.operationId);
    expect(served.credits.receipts(TENANT).map(reported).sort(byOperation)).toEqual(charges.map(reported).sort(byOperation));
  });

  it('holds little for a quiet tenant and more for a busy one', async () => {
    const registry = openRegistry();
    await spend(registry, 1);
    expect(served.credits.held(TENANT)).toBeLessThanOrEqual(6);
    for (let call = 0; call < 300; call += 1) await spend(registry, 1);
    expect(registry.holderOf(TENANT).unused()).toBeGreaterThan(100);
    expect(served.credits.takeTotal()).toBeLessThan(40);
  });

  it('never refuses while another gateway holds idle credits', async () => {
    served.credits.grant(TENANT, 20);
    const [a, b] = [openRegistry(), openRegistry()];
    let spent = 0;
    for (; spent < 20; spent += 1) await spend(spent % 2 === 0 ? a : b, 1);
    await expect(a.holderOf(TENANT).hold(1)).rejects.toMatchObject({
      code: 'insufficient_credits',
      members: { control: 'balance', available: 0, resets_at_utc: null },
    });
    await waitUntil('all posted', () => served.credits.spent(TENANT) === 20);
  });

  it('returns its own rest before it believes a refusal', async () => {
    served.credits.grant(TENANT, 10);
    const registry = openRegistry();
    await spend(registry, 1);
    await spend(registry, 9);
    await expect(registry.holderOf(TENANT).hold(1)).rejects.toMatchObject({ code: 'insufficient_credits' });
  });

  it('names the cap that stops a call and when it resets', async () => {
    served.credits.setControls(TENANT, { dailyCreditCap: 2 });
    const registry = openRegistry();
    await spend(registry, 2);
    const refusal = await registry
      .holderOf(TENANT)
      .hold(1)
      .catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'daily_credit_cap', members: { control: 'daily_credit_cap', available: 0 } });
    expect(refusal).toMatchObject({ members: { resets_at_utc: expect.stringMatching(/T00:00:00\.000Z$/) } });
  });

  it('refuses a call above the ceiling for one, and serves the others', async () => {
    served.credits.setControls(TENANT, { perCallCreditCeiling: 3 });
    const registry = openRegistry();
    await expect(registry.holderOf(TENANT).hold(4)).rejects.toMatchObject({
      code: 'per_call_credit_ceiling',
      members: { control: 'per_call_credit_ceiling' },
    });
    await expect(spend(registry, 3)).resolves.toBeDefined();
    expect(registry.holderOf(TENANT).holdNow(4)).toBeNull();
  });

  it('sends a batch again under its number until it is acknowledged, and serves no more after five seconds', async () => {
    const registry = openRegistry();
    await spend(registry, 1);
    served.credits.setAnswersLost(true);
    await spend(registry, 1);
    await waitUntil('sent again', () => served.credits.postTotal() >= 3);
    expect(registry.holderOf(TENANT).holdNow(1)?.cancel(1)).toBeUndefined();
    offsetMs = 5_100;
    expect(registry.holderOf(TENANT).holdNow(1)).toBeNull();
    await expect(registry.holderOf(TENANT).hold(1)).rejects.toMatchObject({ code: 'metering_unavailable' });
    served.credits.setAnswersLost(false);
    await waitUntil('serves again', async () => (await spend(registry, 1)) !== undefined);
    await waitUntil('posted once', () => served.credits.spent(TENANT) === 3);
    expect(served.credits.receipts(TENANT)).toHaveLength(3);
  });

  it('answers 503 when no lease can be had', async () => {
    served.credits.setDown(true);
    await expect(openRegistry().holderOf(TENANT).hold(1)).rejects.toMatchObject({ code: 'metering_unavailable' });
  });

  it('takes the next lease before the present one is old, and stops using one with ten seconds left', async () => {
    const registry = openRegistry();
    const first = await spend(registry, 1);
    offsetMs = 41_000;
    await waitUntil('the next lease', async () => (await spend(registry, 1)).id !== first.id);
    await waitUntil('the first went back', () => first.unspent() === 0);
    offsetMs = 41_000 + 51_000;
    expect(registry.holderOf(TENANT).holdNow(1)).toBeNull();
  });

  it('gives the lease of a tenant back that made no call for a minute, and forgets the tenant', async () => {
    const registry = openRegistry();
    await spend(registry, 1);
    expect(registry.holderTotal()).toBe(1);
    offsetMs = 60_000;
    await waitUntil('forgotten', () => registry.holderTotal() === 0);
    expect(served.credits.held(TENANT)).toBe(0);
    expect(served.credits.leaseTotal()).toBe(0);
  });

  it('charges a stream for what it sends after its tenant was forgotten in a quiet minute', async () => {
    const registry = openRegistry();
    const meter = createMeter({
      leases: registry,
      quoteSecret: '',
      metrics: createMetrics('gateway'),
      symbolTotal: () => 1,
      now: Date.now,
    });
    const open = await meter.open({
      operation: operationById('streamPackets'),
      input: { query: {}, path: {}, headers: {}, body: undefined },
      grant: fromKeyGrant(createMessage(account.KeyGrant, { tenantId: TENANT, keyId: 'key_1', plan: createMessage(account.Plan) })),
      requestId: 'req_1',
      headers: {},
    });
    const stream = open?.stream();
    expect(stream?.pay(1)).toBeNull();
    offsetMs = 60_000;
    await waitUntil('forgotten', () => registry.holderTotal() === 0);
    expect(await stream?.pay(100)).toBeNull();
    offsetMs += 60_000;
    await waitUntil('the second credit is posted with its lease', () => served.credits.spent(TENANT) === 2);
    stream?.end();
  });

  it('cancels without a charge and counts what remains', async () => {
    served.credits.grant(TENANT, 100);
    const registry = openRegistry();
    const holder = registry.holderOf(TENANT);
    const lease = await holder.hold(7);
    lease.cancel(7);
    expect(holder.remaining()).toBe(100);
    await spend(registry, 4);
    expect(holder.remaining()).toBe(96);
  });
});
