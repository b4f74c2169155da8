import type { account } from '@market-state/contracts';
import { silentLogger } from '@market-state/logging';
import { waitUntil } from '@market-state/testing';
import { Registry } from 'prom-client';
import { ledgerAudit, watchLedger } from '../src/credits/ledger-audit';
import { type CreditsUnderTest, NOON_MS, pricedAt, startCreditsUnderTest } from './credits-under-test';

let under: CreditsUnderTest;

beforeAll(async () => {
  under = await startCreditsUnderTest();
});
beforeEach(() => under.setNow(NOON_MS));
afterAll(() => under.stop());

/** Tenant with 100 credits of each kind: 3 and 2 spent, 4 and 1 reserved. */
async function tenantAtWork(): Promise<string> {
  const { call } = under.client;
  const tenantId = await under.tenantWith(100, 100);
  const order = (operationId: string, marketState: number, exports: number): account.ReserveRequest => {
    const priced = { ...pricedAt(marketState, exports), observedMarketStateCredits: 0, observedExportCredits: 0 };
    return { operationId, caller: { tenantId, keyId: 'key_1', accountId: '' }, requestId: 'req_1', priced, expiresTsMs: NOON_MS + 60_000 };
  };
  await call.reserve(order(`done ${tenantId}`, 5, 5));
  await call.settle({ operationId: `done ${tenantId}`, observedMarketStateCredits: 3, observedExportCredits: 2, artifactIds: [] });
  await call.reserve(order(`open ${tenantId}`, 4, 1));
  return tenantId;
}

async function faultsOf(tenantId: string, nowMs = NOON_MS): Promise<string[]> {
  const { faults } = await ledgerAudit(under.pool, nowMs, tenantId);
  return faults.map(({ message }) => message);
}

const ONE_SIDED = `
  ALTER TABLE entry DISABLE TRIGGER posting_balanced;
  INSERT INTO entry (posting_id, line, kind, account, amount)
    SELECT min(id), 99, 'export', 'expired', 7 FROM posting WHERE tenant_id = '$tenant';
  ALTER TABLE entry ENABLE TRIGGER posting_balanced`;
const SECOND_RECEIPT = `
  INSERT INTO receipt (id, tenant_id, operation_id, request_id, charged_operation_id, charged_part, key_id, account_id, plan_id, method,
    route, workload_family, price_version,
      estimated_market_state_credits, observed_market_state_credits, estimated_export_credits, observed_export_credits, quote_id,
      artifact_ids, status, served_at)
    SELECT 'second ' || id, tenant_id, 'second', request_id, charged_operation_id, charged_part, key_id, account_id, plan_id, method,
      route, workload_family, price_version,
      estimated_market_state_credits, observed_market_state_credits, estimated_export_credits, observed_export_credits, quote_id,
      artifact_ids, status, served_at
    FROM receipt WHERE tenant_id = '$tenant'`;

test.each([
  [
    'an entry without its other side',
    ONE_SIDED,
    [/^Posting \d+ sums to 7 export credits, not 0\.$/, /^expired export credits: 0 kept, 7 by the entries\.$/],
  ],
  [
    'a total',
    `UPDATE credit_total SET spent_day = 4, spent_month = 4 WHERE tenant_id = '$tenant' AND kind = 'market_state'`,
    [/^spent_day market_state credits: 4 kept, 3 by the entries\.$/, /^spent_month market_state credits: 4 kept, 3 by/],
  ],
  [
    'what a grant has left',
    `UPDATE credit_grant SET "left" = "left" - 1 WHERE tenant_id = '$tenant' AND kind = 'export'`,
    [/^Grant grn_\w+ has 96 export credits left as kept, 97 by the entries\.$/],
  ],
  [
    'what a grant has spent',
    `UPDATE credit_grant SET spent = 1 WHERE tenant_id = '$tenant' AND kind = 'export'`,
    [/^Grants of export credits have spent 1 as kept, 2 by the totals\.$/],
  ],
  [
    'what a hold has left',
    `UPDATE credit_hold SET "left" = 3 WHERE tenant_id = '$tenant' AND kind = 'market_state' AND ended_at IS NULL`,
    [/^Open holds have 3 market_state credits left, the totals hold 4\.$/],
  ],
  [
    'an hour that was summed otherwise',
    `INSERT INTO balance_hour SELECT '$tenant', max(id), 'export', now(), 9, 0, 0, 0, 0, 0 FROM posting WHERE tenant_id = '$tenant'`,
    [/^Hours sum to 9 export credits granted, 0 charged, 0 expired, 0 held; the entries to 100, 2, 0, 1\.$/],
  ],
  [
    'a receipt twice',
    SECOND_RECEIPT,
    [
      /^Charge 0 of done \w+ posted 3 market-state and 2 export credits; its receipts say 6 and 4\.$/,
      /^Usage counts 1 calls, 3 market-state and 2 export credits; receipts 2, 6 and 4\.$/,
    ],
  ],
  [
    'a call that usage does not count',
    `UPDATE usage_day SET calls = 0 WHERE tenant_id = '$tenant'`,
    [/^Usage counts 0 calls, 3 market-state and 2 export credits; receipts 1, 3 and 2\.$/],
  ],
])('names %s, at its tenant alone', async (_what, sql, messages) => {
  const [tenantId, other] = [await tenantAtWork(), await tenantAtWork()];
  expect(await faultsOf(tenantId)).toEqual([]);
  await under.service.ownerSql(sql.replaceAll('$tenant', tenantId));
  expect(await faultsOf(tenantId)).toEqual(messages.map((message) => expect.stringMatching(message)));
  expect(await faultsOf(other)).toEqual([]);
  const all = await ledgerAudit(under.pool, NOON_MS);
  expect(all.faults.filter((fault) => fault.tenantId === tenantId).map(({ message }) => message)).toEqual(
    messages.map((message) => expect.stringMatching(message)),
  );
});

test('names a hold that outlived its time by more than a sweep, and counts what it looked at', async () => {
  const tenantId = await tenantAtWork();
  expect(await faultsOf(tenantId, NOON_MS + 89_000)).toEqual([]);
  expect(await faultsOf(tenantId, NOON_MS + 91_000)).toEqual([
    expect.stringMatching(/^Hold \S+ of 4 market_state credits had to be released at /),
    expect.stringMatching(/^Hold \S+ of 1 export credits had/),
  ]);
  const { rows } = await under.pool.query(
    'SELECT 1 AS tenants, count(DISTINCT p.id)::int AS postings, count(e.line)::int AS entries FROM posting p LEFT JOIN entry e ON e.posting_id = p.id WHERE p.tenant_id = $1',
    [tenantId],
  );
  expect(await ledgerAudit(under.pool, NOON_MS, tenantId)).toEqual({ ...rows[0], faults: [] });
});

test('the ledger is audited again and again: what is wrong is counted until it is put right, and when it was last looked at', async () => {
  const tenantId = await tenantAtWork();
  const before = (await ledgerAudit(under.pool, NOON_MS)).faults.length;
  const registry = new Registry();
  const valueOf = async (name: string): Promise<number | undefined> => (await registry.getSingleMetric(name)?.get())?.values[0]?.value;
  let nowMs = NOON_MS;
  const clock = (): number => (nowMs += 1_000);
  const watch = watchLedger({ pool: under.pool, registry, clock, logger: silentLogger() }, { firstMs: 0, everyMs: 20 });
  expect([await valueOf('ledger_audit_faults'), await valueOf('ledger_audit_timestamp_seconds')]).toEqual([undefined, undefined]);
  const untilFaults = (total: number) =>
    waitUntil(`${total} faults`, async () => (await valueOf('ledger_audit_faults')) === before + total);
  await untilFaults(0);
  await under.service.ownerSql(`UPDATE usage_day SET calls = 0 WHERE tenant_id = '${tenantId}'`);
  await untilFaults(1);
  const atS = (await valueOf('ledger_audit_timestamp_seconds')) ?? 0;
  expect(atS).toBeGreaterThan(NOON_MS / 1_000);
  await under.service.ownerSql(`UPDATE usage_day SET calls = 1 WHERE tenant_id = '${tenantId}'`);
  await untilFaults(0);
  expect(await valueOf('ledger_audit_timestamp_seconds')).toBeGreaterThan(atS);
  await watch.close();
});
