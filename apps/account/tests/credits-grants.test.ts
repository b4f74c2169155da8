import { startStores, type TestStores } from '@market-state/testing';
import { createLogger } from '@market-state/logging';
import { createPool, inTransaction } from '@market-state/postgres';
import type { Pool, PoolClient } from 'pg';
import { grantCredits, grantPlan, grantSandbox, grantTopup, grantTrial, type PlanOrder } from '../src/credits/grants';
import { withBook } from '../src/credits/with-credit-ledger';
import { availableOf } from '../src/credits/credit-ledger';

const NOW_MS = Date.UTC(2026, 0, 31, 10);
const DAY_MS = 86_400_000;
const MONTHLY: Omit<PlanOrder, 'nowMs'> = {
  planId: 'public_builder',
  renewal: 'monthly',
  operationId: null,
  months: null,
  ownCredits: { market_state: null, export: null },
};

let stores: TestStores;
let pool: Pool;
let owner: Pool;
let tenants = 0;

beforeAll(async () => {
  stores = await startStores({ services: ['account'] });
  const options = { logger: createLogger('test', { level: 'silent' }), applicationName: 'test' };
  pool = createPool({ url: stores.postgresUrl('account'), ...options });
  owner = createPool({ url: stores.ownerUrl('account'), ...options });
});
afterAll(async () => {
  await Promise.all([pool.end(), owner.end()]);
  await stores.stop();
});

async function newTenant(): Promise<string> {
  tenants += 1;
  const id = `ten_${tenants}`;
  await pool.query('INSERT INTO tenant (id, name, created_at) VALUES ($1, $1, now())', [id]);
  return id;
}

function doing<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
  return inTransaction(pool, work);
}

function available(tenantId: string, nowMs: number): Promise<[number, number]> {
  return doing((client) => withBook(client, tenantId, nowMs, (book) => [availableOf(book, 'market_state'), availableOf(book, 'export')]));
}

test('a month of a plan ends with its credits and begins with new ones, at the anniversary', async () => {
  const tenant = await newTenant();
  expect(await doing((client) => grantPlan(client, tenant, { ...MONTHLY, nowMs: NOW_MS }))).toBe(true);
  expect(await doing((client) => grantPlan(client, tenant, { ...MONTHLY, nowMs: NOW_MS + 1 }))).toBe(false);
  expect(await available(tenant, NOW_MS + 1)).toEqual([100_000, 500]);
  const anniversaryMs = Date.UTC(2026, 1, 28, 10);
  await available(tenant, anniversaryMs - 1);
  expect((await pool.query('SELECT count(*)::int AS n FROM credit_grant WHERE tenant_id = $1', [tenant])).rows).toEqual([{ n: 2 }]);
  expect(await available(tenant, anniversaryMs)).toEqual([100_000, 500]);
  expect((await pool.query('SELECT expired::int FROM credit_total WHERE tenant_id = $1 ORDER BY kind', [tenant])).rows).toEqual([
    { expired: 100_000 },
    { expired: 500 },
  ]);
});

test('after a long time away only the period that runs gives credits, however many look at once', async () => {
  const tenant = await newTenant();
  await doing((client) => grantPlan(client, tenant, { ...MONTHLY, nowMs: NOW_MS }));
  const laterMs = Date.UTC(2026, 8, 15);
  expect(await Promise.all(Array.from({ length: 8 }, () => available(tenant, laterMs)))).toEqual(Array(8).fill([100_000, 500]));
  const { rows } = await pool.query(
    'SELECT granted_at, expires_at FROM credit_grant WHERE tenant_id = $1 AND kind = $2 ORDER BY granted_at',
    [tenant, 'export'],
  );
  expect(rows.map(({ expires_at: to }) => to.toISOString())).toEqual(['2026-02-28T10:00:00.000Z', '2026-09-30T10:00:00.000Z']);
});

test('a tenant that was there before plans has public_pro, renewed each day', async () => {
  const tenant = await newTenant();
  await pool.query(`UPDATE tenant SET plan_id = 'public_pro', renewal = 'daily', billing_anchor = created_at WHERE id = $1`, [tenant]);
  expect(await available(tenant, NOW_MS)).toEqual([1_000_000, 5_000]);
  expect(await available(tenant, NOW_MS + DAY_MS)).toEqual([1_000_000, 5_000]);
});

test('one order of a plan gives it once, and a payment for the next month goes on with its calendar', async () => {
  const tenant = await newTenant();
  const pay = (operationId: string, nowMs: number) =>
    doing((client) => grantPlan(client, tenant, { ...MONTHLY, operationId, months: 1, nowMs }));
  expect(await Promise.all([pay('ord_1', NOW_MS), pay('ord_1', NOW_MS)])).toEqual(expect.arrayContaining([true, false]));
  const unpaidMs = Date.UTC(2026, 1, 28, 12);
  expect(await available(tenant, unpaidMs)).toEqual([0, 0]);
  expect(await pay('ord_2', unpaidMs)).toBe(true);
  expect(await available(tenant, unpaidMs)).toEqual([100_000, 500]);
  expect(await available(tenant, Date.UTC(2026, 2, 31, 10))).toEqual([0, 0]);
});

test('a changed plan is announced once per change; a first plan or the next month of the same is not', async () => {
  const tenant = await newTenant();
  const order = (planId: PlanOrder['planId'], operationId: string | null, nowMs: number) =>
    doing((client) => grantPlan(client, tenant, { ...MONTHLY, planId, operationId, months: 1, nowMs }));
  await order('trial', null, NOW_MS);
  await order('public_builder', 'ord_first', NOW_MS + 1);
  await order('public_builder', 'ord_first', NOW_MS + 2);
  await order('public_builder', 'ord_next', NOW_MS + DAY_MS);
  await order('public_pro', 'ord_more', NOW_MS + 2 * DAY_MS);
  await order('public_builder', 'ord_less', NOW_MS + 3 * DAY_MS);
  const { rows } = await pool.query<{ payload: unknown }>(
    `SELECT payload FROM outbox WHERE tenant_id = $1 AND kind = 'plan.changed' ORDER BY id`,
    [tenant],
  );
  expect(rows.map(({ payload }) => payload)).toEqual([
    { plan_id: 'public_builder' },
    { plan_id: 'public_pro' },
    { plan_id: 'public_builder' },
  ]);
});

test('top-ups never end and are given once for an order; trial and sandbox end', async () => {
  const tenant = await newTenant();
  const order = { operationId: 'ord_1', nowMs: NOW_MS };
  expect(await doing((client) => grantTopup(client, tenant, order))).toBe(true);
  expect(await doing((client) => grantTopup(client, tenant, order))).toBe(false);
  await doing((client) => grantTrial(client, tenant, NOW_MS));
  expect(await available(tenant, NOW_MS + 14 * DAY_MS - 1)).toEqual([110_000, 505]);
  expect(await available(tenant, NOW_MS + 14 * DAY_MS)).toEqual([100_000, 500]);
  const sandbox = await newTenant();
  await doing((client) => grantSandbox(client, sandbox, NOW_MS));
  expect(await available(sandbox, NOW_MS + 7 * DAY_MS - 1)).toEqual([200, 0]);
  expect(await available(sandbox, NOW_MS + 7 * DAY_MS)).toEqual([0, 0]);
});

test('a grant to an unknown tenant is refused and writes nothing', async () => {
  const gift = {
    source: 'operator',
    operationId: 'x',
    note: 'x',
    credits: { market_state: 5, export: 0 },
    expiresMs: null,
    nowMs: NOW_MS,
  } as const;
  await expect(doing((client) => grantCredits(client, 'ten_unknown', gift))).rejects.toMatchObject({ reason: 'unknown_tenant' });
});

test('what was posted can be neither changed nor removed, and each posting sums to zero', async () => {
  const tenant = await newTenant();
  await doing((client) => grantTrial(client, tenant, NOW_MS));
  for (const table of ['posting', 'entry', 'receipt']) {
    for (const change of [`UPDATE ${table} SET tenant_id = tenant_id`, `DELETE FROM ${table}`, `TRUNCATE ${table}`]) {
      const text = table === 'entry' ? change.replaceAll('tenant_id', 'line') : change;
      await expect(pool.query(text)).rejects.toMatchObject({ code: '42501', message: expect.stringContaining('permission denied') });
      // The tables' owner can grant itself the right again; then the trigger refuses.
      const regained = inTransaction(owner, async (client) => {
        await client.query(`GRANT ALL ON ${table} TO CURRENT_USER`);
        await client.query(text);
      });
      await expect(regained).rejects.toMatchObject({ code: '42501', message: `${table} is append-only` });
    }
  }
  const unbalanced = doing(async (client) => {
    const { rows } = await client.query(
      `INSERT INTO posting (tenant_id, operation_id, phase, part, counted_on, posted_at) VALUES ($1, 'x', 'grant', 0, now(), now())
        RETURNING id`,
      [tenant],
    );
    await client.query(`INSERT INTO entry VALUES ($1, 0, 'market_state', 'spent', NULL, 5), ($1, 1, 'export', 'issued', NULL, -5)`, [
      rows[0].id,
    ]);
  });
  await expect(unbalanced).rejects.toThrow('do not sum to zero');
});
