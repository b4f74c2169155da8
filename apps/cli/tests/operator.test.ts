import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { account } from '@market-state/contracts';
import { keyDigest } from '@market-state/credentials';
import { createClient, type GrpcClient } from '@market-state/grpc';
import { createCloser } from '@market-state/lifecycle';
import {
  type KillableProcess,
  patientPeer,
  startAccountProcess,
  startStores,
  testRpcSettings,
  type TestStores,
} from '@market-state/testing';
import { Client } from 'pg';
import { createWorkplace, type Outcome, run } from './run';

const place = createWorkplace();
const closer = createCloser();
let stores: TestStores;
let server: KillableProcess;
let keys: GrpcClient<account.KeyServiceService>;
let billing: GrpcClient<account.BillingServiceService>;

beforeAll(async () => {
  stores = await startStores({ services: ['account'] });
  closer.add('stores', () => stores.stop());
  server = await startAccountProcess(closer, stores.postgresUrl('account'));
  await server.ready();
  keys = createClient({ definition: account.KeyServiceService, ...patientPeer('account'), address: server.address });
  billing = createClient({ definition: account.BillingServiceService, ...patientPeer('account'), address: server.address });
});
afterAll(async () => {
  await Promise.all([keys.close(), billing.close()]);
  await closer.close();
  place.remove();
});

/** Runs a command against the booted service. */
function operate(...args: readonly string[]): Promise<Outcome> {
  return run(['admin', ...args, '--account', server.address], place.folder, undefined, { rpc: testRpcSettings('operator') });
}

/** Runs a command and expects success. */
async function done(...args: readonly string[]): Promise<Outcome> {
  const outcome = await operate(...args);
  expect({ args, exitCode: outcome.exitCode, stderr: outcome.stderr }).toEqual({
    args,
    exitCode: 0,
    stderr: expect.not.stringContaining('market-state:') as string,
  });
  return outcome;
}

const grantOf = async (key: string): Promise<account.KeyGrant | undefined> =>
  (await keys.call.verifyKey({ keyDigest: keyDigest(key) })).grant;

test('a tenant is created with its plan, listed, put on another plan, disabled and enabled', async () => {
  const created = await done('tenants', 'create', 'acme research', '--plan', 'public_builder');
  expect(created.lines[1]).toMatch(/^ten_\w{26}  acme research  public_builder  monthly  enabled  \S+Z +100,000 +500$/);
  await done('tenants', 'create', 'bare');
  const listed = await done('tenants', 'list');
  expect(listed.lines.map((line) => line.split(/ {2,}/).slice(1, 5))).toEqual([
    ['name', 'plan', 'renewal', 'state'],
    ['acme research', 'public_builder', 'monthly', 'enabled'],
    ['bare', '-', 'none', 'enabled'],
  ]);
  const set = await done('plan', 'set', 'bare', 'enterprise', '--market-state', '20000000', '--export', '7', '--renewal', 'daily');
  expect(set.lines[1]).toMatch(/ {2}bare {2,}enterprise {2,}daily {2,}enabled .* 20,000,000 +7$/);
  const tenantId = set.lines[1]?.slice(0, 30) ?? '';
  expect((await done('tenant', 'disable', tenantId)).stdout).toContain('disabled');
  expect((await done('tenant', 'enable', 'bare')).stdout).toContain('enabled');
});

test('a command also works under its former name, and says until when', async () => {
  const { exitCode, stdout, stderr } = await run(['tenants', 'list', '--account', server.address], place.folder, undefined, {
    rpc: testRpcSettings('operator'),
  });
  expect([exitCode, stdout]).toEqual([0, (await done('tenants', 'list')).stdout]);
  expect(stderr).toBe('"market-state tenants" is now "market-state admin tenants"; the former name works until 2027-05-29.\n');
});

test('the same is JSON, with numbers as numbers and what is absent as null', async () => {
  const [created] = JSON.parse((await done('tenants', 'create', 'in json', '--output', 'json')).stdout) as [{ tenant_id: string }];
  expect(created).toMatchObject({ name: 'in json', plan_id: null, renewal: 'none', state: 'enabled', market_state_credits: 0 });
  const issued = JSON.parse((await done('keys', 'issue', 'in json', '--output', 'json')).stdout) as object;
  expect(issued).toEqual({
    key: expect.stringMatching(/^msk_live_/),
    key_id: expect.stringMatching(/^key_/),
    tenant_id: created.tenant_id,
  });
  expect(JSON.parse((await done('keys', 'list', 'in json', '--output', 'json')).stdout)).toMatchObject([{ expires_utc: null }]);
  expect(JSON.parse((await done('ledger', 'audit', '--output', 'json')).stdout)).toMatchObject({ differences: [] });
});

test('a key is issued alone on stdout, listed without being shown, and revoked by its id', async () => {
  await done('tenants', 'create', 'keyed', '--plan', 'public_pro');
  const issued = await done('keys', 'issue', 'keyed', '--name', 'notebook', '--scopes', 'export,read', '--expires', '2100-01-01');
  const key = issued.stdout.trimEnd();
  expect(key).toMatch(/^msk_live_[0-9A-Za-z]{46}$/);
  expect(issued.stderr).toContain('shown only once');
  expect(await grantOf(key)).toMatchObject({ scopes: [account.Scope.READ, account.Scope.EXPORT], expiresTsMs: Date.UTC(2100, 0, 1) });
  const { stdout } = await done('keys', 'list', 'keyed');
  expect(stdout).not.toContain(key);
  expect(stdout).toMatch(
    new RegExp(`notebook  ${key.slice(0, 12)}…${key.slice(-4)}  read,export  active +\\S+ +2100-01-01T00:00:00Z  \\S+Z\n$`),
  );
  const [keyId = ''] = /key_\w{26}/.exec(stdout) ?? [];
  await done('keys', 'revoke', keyId);
  expect(await grantOf(key)).toBeUndefined();
  expect((await done('keys', 'list', 'keyed')).stdout).toContain('revoked');
});

test('a claim token is alone on stdout', async () => {
  await done('tenants', 'create', 'claimed');
  const { stdout, stderr } = await done('claim-token', 'claimed');
  expect(stdout).toMatch(/^[\w-]{43}\n$/);
  expect(stderr).toMatch(/Links one account to ten_\w{26}; valid until \S+Z/);
});

test('a second factor is removed by the email of its account', async () => {
  const accounts = createClient({ definition: account.AccountServiceService, ...patientPeer('account'), address: server.address });
  const email = 'lost-phone@example.org';
  await done('tenants', 'create', 'lost');
  const claimToken = (await done('claim-token', 'lost')).stdout.trim();
  const { opened } = await accounts.call.claim({ email, password: ' a quiet river 81 ', apiKey: '', claimToken, address: '203.0.113.1' });
  await accounts.close();
  expect((await operate('tenant', 'remove-second-factor', email)).stderr).toContain('Two-factor authentication is off.');
  const db = new Client({ connectionString: stores.postgresUrl('account') });
  await db.connect();
  await db.query("INSERT INTO second_factor (account_id, sealed_secret, created_at, confirmed_at) VALUES ($1, '', now(), now())", [
    opened?.grant?.accountId,
  ]);
  await db.end();
  expect((await done('tenant', 'remove-second-factor', email)).stdout).toMatch(/^acc_\w{26} of ten_\w{26} logs in without a code now\n$/);
});

test('members of a tenant are listed, and an account is made its owner', async () => {
  const accounts = createClient({ definition: account.AccountServiceService, ...patientPeer('account'), address: server.address });
  const email = 'new-owner@example.org';
  await done('tenants', 'create', 'team');
  const claimToken = (await done('claim-token', 'team')).stdout.trim();
  const { opened } = await accounts.call.claim({ email, password: ' a quiet river 81 ', apiKey: '', claimToken, address: '203.0.113.1' });
  await accounts.close();
  const db = new Client({ connectionString: stores.postgresUrl('account') });
  await db.connect();
  await db.query("UPDATE account SET role = 'read_only' WHERE id = $1", [opened?.grant?.accountId]);
  await db.end();
  expect((await done('tenant', 'members', 'team')).lines[1]).toMatch(/^acc_\w{26} +new-owner@example\.org +read_only +off /);
  expect((await done('tenant', 'make-owner', email)).stdout).toMatch(/^acc_\w{26} is an owner of ten_\w{26} now\n$/);
  expect((await done('tenant', 'members', 'team')).lines[1]).toMatch(/ owner +off /);
  expect((await operate('tenant', 'make-owner', 'nobody@example.org')).stderr).toContain('There is no such member.');
});

test('credits are given, an order is approved once, and the audit proves every balance', async () => {
  const created = await done('tenants', 'create', 'credited');
  const tenantId = created.lines[1]?.slice(0, 30) ?? '';
  expect((await done('grant', 'credited', '--market-state', '50000', '--note', 'outage')).stdout).toBe(
    `${tenantId} now has 50,000 market-state and 0 export credits.\n`,
  );
  const { order } = await billing.call.createCheckout({
    tenantId,
    accountId: '',
    planId: 'topup',
    billingInterval: 'month',
    references: {},
  });
  const orderId = order?.orderId ?? '';
  expect((await done('billing', 'approve', orderId)).stdout).toBe(`${orderId} fulfilled: ${tenantId} is now on topup.\n`);
  expect((await done('billing', 'approve', orderId)).stdout).toBe(`${orderId} was already fulfilled; nothing changed.\n`);
  expect((await done('grant', tenantId, '--export', '1', '--note', 'thanks')).stdout).toContain('150,000 market-state and 501 export');

  expect((await done('ledger', 'audit')).stdout).toMatch(/: every balance matches its entries\n$/);
  const db = new Client({ connectionString: stores.postgresUrl('account') });
  await db.connect();
  // Locks the tenant: concurrent work on it rewrites its totals and would overwrite this change.
  const changeIssued = `WITH locked AS (SELECT id FROM tenant WHERE id = $1 FOR UPDATE)
    UPDATE credit_total SET issued = issued + $2 FROM locked WHERE tenant_id = locked.id AND kind = 'export'`;
  await db.query(changeIssued, [tenantId, 1]);
  const audited = await operate('ledger', 'audit', '--tenant', 'credited');
  expect(audited.exitCode).toBe(1);
  expect(audited.lines[0]).toContain('1 tenant, 3 postings, 8 entries: 1 difference');
  expect(audited.stdout).toContain('issued export credits: 502 kept, 501 by the entries.');
  await db.query(changeIssued, [tenantId, -1]);
  await db.end();
});

test('orders are listed by tenant and status, oldest first', async () => {
  const created = await done('tenants', 'create', 'ordering');
  const tenantId = created.lines[1]?.slice(0, 30) ?? '';
  expect((await done('billing', 'list', '--tenant', 'ordering')).lines.slice(1)).toEqual([]);
  const order = async (planId: string): Promise<string> =>
    (await billing.call.createCheckout({ tenantId, accountId: '', planId, billingInterval: 'month', references: {} })).order?.orderId ?? '';
  const [first, second] = [await order('topup'), await order('public_pro')];
  await done('billing', 'approve', first);
  const all = (await done('billing', 'list', '--tenant', tenantId, '--status', 'all')).lines.map((line) => line.split(/ {2,}/));
  expect(all[0]).toEqual(['order', 'tenant', 'name', 'for', 'every', 'US dollars', 'provider', 'status', 'made', 'fulfilled']);
  expect(all[1]).toEqual([
    first,
    tenantId,
    'ordering',
    'topup',
    '-',
    '39.00',
    'offline',
    'fulfilled',
    expect.stringMatching(/Z$/),
    expect.stringMatching(/Z$/),
  ]);
  expect(all[2]).toEqual([
    second,
    tenantId,
    'ordering',
    'public_pro',
    'month',
    '199.00',
    'offline',
    'open',
    expect.stringMatching(/Z$/),
    '-',
  ]);
  expect((await done('billing', 'list')).stdout).toContain(second);
  expect((await done('billing', 'list')).stdout).not.toContain(first);
});

test.each([
  [['billing', 'list', '--status', 'paid'], '--status must be one of open, fulfilled, expired, cancelled, all'],
  [['tenants'], 'Usage: market-state admin tenants'],
  [['tenants', 'lst'], "unknown command 'lst'"],
  [['tenants', 'create'], 'missing argument: name'],
  [['tenants', 'create', 'y', '--plan', 'public_gold'], 'plan_id: is not a plan'],
  [['tenants', 'create', 'y', '--plan', 'enterprise'], '--market-state: is required'],
  [['plan', 'set', 'unknown', 'public_pro'], 'No tenant with the id or name "unknown"'],
  [['plan', 'set', 'x', 'public_pro', '--renewal', 'hourly', '--export', '-1'], '--renewal must be one of monthly, daily, none'],
  [['plan', 'set', 'x', 'public_pro', '--renewal', 'hourly', '--export', 'many'], '--export must be a whole number'],
  [
    ['keys', 'issue', 'x', '--scopes', 'read,write'],
    '--scopes must be a comma-separated list of read, export, automation, account, not "write"',
  ],
  [['keys', 'issue', 'x', '--colour'], 'market-state admin keys issue --help'],
  [['keys', 'revoke', 'msk_live_x'], 'pass a key id (key_…)'],
  [['keys', 'revoke', `key_${'0'.repeat(26)}`], 'There is no such key.'],
  [['grant', 'x', '--note', 'why'], '--market-state or --export is required'],
  [['grant', 'x', '--market-state', '1'], 'option --note <text> is required'],
  [['billing', 'approve', 'ord_none'], 'There is no such order'],
  [['tenants', 'list', '--account', 'nowhere'], '--account must be host:port'],
])('%j is refused: %s', async (args, sentence) => {
  await operate('tenants', 'create', 'x');
  const outcome = args.includes('--account') ? await place.run(...args) : await operate(...args);
  expect(outcome).toMatchObject({ exitCode: 2, stdout: '' });
  expect(outcome.stderr).toContain(sentence);
});

test('a name that is taken is refused', async () => {
  await done('tenants', 'create', 'twice');
  expect(await operate('tenants', 'create', 'twice')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('A tenant named "twice" already exists: ten_') as string,
  });
});

test('the service is found by the data folder of a running system; one that is not there ends with 3 and says what was asked', async () => {
  const missing = await place.run('tenants', 'list');
  expect(missing.exitCode).toBe(3);
  expect(missing.stderr).toContain('its account service with --account host:port');
  const token = testRpcSettings('operator');
  for (const data of ['.', '.data']) {
    mkdirSync(join(place.folder, data, 'secrets', 'rpc'), { recursive: true });
    copyFileSync(token.kind === 'token' ? token.tokenFile : '', join(place.folder, data, 'secrets', 'rpc', 'operator.json'));
  }
  place.write('endpoints.json', JSON.stringify({ account: server.address }));
  expect((await place.run('tenants', 'list', '--data-dir', '.')).exitCode).toBe(0);
  const unreachable = await place.run('ledger', 'audit', '--account', '127.0.0.1:1');
  expect(unreachable.exitCode).toBe(3);
  expect(unreachable.stderr).toContain('127.0.0.1:1');
});
