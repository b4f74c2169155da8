import { randomBytes } from 'node:crypto';
import { account } from '@market-state/contracts';
import { secretDigest } from '@market-state/credentials';
import { Pool } from 'pg';
import { createClaimToken } from '../src/accounts/claim-tokens';
import { type AccountUnderTest, orderFor, startAccountUnderTest } from './account-under-test';
import { mailTo } from './mails';

const password = 'a quiet river 81';
const everyScope = [account.Scope.READ, account.Scope.EXPORT, account.Scope.AUTOMATION, account.Scope.ACCOUNT];

let service: AccountUnderTest;
let pool: Pool;
let people = 0;
beforeAll(async () => {
  service = await startAccountUnderTest();
  pool = new Pool({ connectionString: service.stores.postgresUrl('account'), max: 1 });
});
afterAll(async () => {
  await pool.end();
  await service.stop();
});

function newEmail(): string {
  people += 1;
  return `person-${people}@example.org`;
}
let addresses = 0;
function nextAddress(): string {
  addresses += 1;
  return `10.0.${addresses >> 8}.${addresses & 255}`;
}
function claim(part: Partial<account.ClaimRequest>): Promise<account.ClaimResponse> {
  return service.accounts.call.claim(
    { email: newEmail(), password, apiKey: '', claimToken: '', address: nextAddress(), ...part },
    { deadlineMs: 30_000 },
  );
}
async function newKey(tenantName: string, scopes = everyScope): Promise<account.IssueKeyResponse> {
  return service.client.call.issueKey({ ...orderFor(tenantName), scopes });
}
async function newToken(tenantId: string): Promise<string> {
  const made = await createClaimToken(pool, tenantId, { clock: () => Date.now() + service.clock.aheadMs, randomBytes });
  return made?.claimToken ?? '';
}
const refused = {
  code: 'UNAUTHENTICATED',
  reason: 'claim_refused',
  message: 'The key or claim token is invalid, or the email already has an account.',
};

test('with a key it binds the tenant of the key, and the session opens it', async () => {
  const issued = await newKey('with a key');
  const { opened } = await claim({ apiKey: issued.key });
  expect(opened?.grant?.tenantId).toBe(issued.tenantId);
  const { grant } = await service.accounts.call.verifySession({ sessionDigest: secretDigest(opened?.session ?? '') });
  expect(grant).toEqual(opened?.grant);
  await expect(service.accounts.call.getMe({ tenantId: issued.tenantId, accountId: grant?.accountId ?? '' })).resolves.toMatchObject({
    tenantName: 'with a key',
    email: `person-${people}@example.org`,
  });
});

test('an email has one account for all spellings of its domain', async () => {
  await claim({ email: 'wide@example.org' });
  await expect(claim({ email: 'wide@example。org', apiKey: (await newKey('wide')).key })).rejects.toMatchObject(refused);
});

test('an account of an earlier release, which took the domain as it was written, is found by that spelling', async () => {
  const email = 'earlier@example。net';
  await claim({ email, apiKey: (await newKey('earlier')).key });
  await pool.query(`UPDATE account SET email_digest = sha256(convert_to(email, 'UTF8')) WHERE email = $1`, [email]);
  await expect(service.accounts.call.login({ email, password, address: nextAddress() })).resolves.toHaveProperty('opened.grant');
});

test('with a claim token it binds the tenant of the token', async () => {
  const { tenantId } = await newKey('with a token');
  const { opened } = await claim({ claimToken: await newToken(tenantId) });
  expect(opened?.grant?.tenantId).toBe(tenantId);
});

test('with both it binds the one tenant that both open, and no other', async () => {
  const [one, other] = [await newKey('both, one'), await newKey('both, other')];
  await expect(claim({ apiKey: one.key, claimToken: await newToken(other.tenantId) })).rejects.toMatchObject(refused);
  const claimToken = await newToken(one.tenantId);
  const { opened } = await claim({ apiKey: one.key, claimToken });
  expect(opened?.grant?.tenantId).toBe(one.tenantId);
});

test('with neither it opens a trial of 10,000 credits and 5 export credits at 2 calls a second, each in a tenant of its own', async () => {
  const [one, other] = [await claim({}), await claim({})];
  expect(one.opened?.grant?.plan).toEqual({ planId: 'trial', ratePerSecond: 2, burst: 40 });
  expect(other.opened?.grant?.tenantId).not.toBe(one.opened?.grant?.tenantId);
  const grants = await service.sql<{ amount: string }>('SELECT amount FROM credit_grant WHERE tenant_id = $1 ORDER BY amount DESC', [
    one.opened?.grant?.tenantId,
  ]);
  expect(grants).toEqual([{ amount: '10000' }, { amount: '5' }]);
});

test('every invalid claim is rejected with exactly the same message', async () => {
  const revoked = await newKey('bad keys');
  await service.client.call.revokeKey({ keyId: revoked.keyId, tenantId: '' });
  const narrow = await newKey('bad keys', [account.Scope.READ, account.Scope.EXPORT, account.Scope.AUTOMATION]);
  const sandbox = await service.client.call.issueSandboxKey({ address: '203.0.113.10' });
  const used = await newKey('bad keys');
  await claim({ apiKey: used.key });
  const disabled = await newKey('to be disabled');
  await service.sql('UPDATE tenant SET disabled = true WHERE id = $1', [disabled.tenantId]);
  const good = await newKey('good');
  const taken = newEmail();
  await claim({ email: taken });
  const usedToken = await newToken(good.tenantId);
  await claim({ claimToken: usedToken });
  const old = await newToken(good.tenantId);
  await service.sql(`UPDATE claim_token SET expires_at = now() - interval '1 s' WHERE digest = $1`, [secretDigest(old)]);
  const causes: Partial<account.ClaimRequest>[] = [
    { apiKey: 'msk_live_nothing' },
    { apiKey: `${good.key}\n` },
    { apiKey: 'x'.repeat(512) },
    ...[revoked.key, narrow.key, sandbox.key, used.key, disabled.key].map((apiKey) => ({ apiKey })),
    ...[usedToken, old, randomBytes(32).toString('base64url'), 'x', 'x\u0000y'].map((claimToken) => ({ claimToken })),
    { claimToken: await newToken(disabled.tenantId) },
    { email: taken },
    { email: taken.toUpperCase(), apiKey: good.key },
  ];
  for (const cause of causes) {
    const error: unknown = await claim(cause).catch((thrown: unknown) => thrown);
    expect({ cause, error }).toMatchObject({ cause, error: { ...refused, faults: [], metadata: {} } });
  }
  await expect(claim({ apiKey: good.key })).resolves.toBeDefined();
});

test('an email that is taken gets a mail that says so', async () => {
  const email = newEmail();
  await claim({ email });
  await expect(claim({ email: email.toUpperCase() })).rejects.toMatchObject(refused);
  const { text } = await mailTo(service.outbox, email, 'You already have a Market-State account');
  expect(text).toContain('https://market-state.example/reset\n');
});

test('an email that is taken leaves the claim token good', async () => {
  const { tenantId } = await newKey('a token twice');
  const taken = newEmail();
  await claim({ email: taken });
  const claimToken = await newToken(tenantId);
  await expect(claim({ email: taken, claimToken })).rejects.toMatchObject(refused);
  await expect(claim({ claimToken })).resolves.toBeDefined();
});

test('a token is good for 24 h', async () => {
  const { tenantId } = await newKey('24 hours');
  const [almost, over] = [await newToken(tenantId), await newToken(tenantId)];
  service.clock.aheadMs += 24 * 3_600_000 - 60_000;
  await expect(claim({ claimToken: almost })).resolves.toBeDefined();
  service.clock.aheadMs += 60_000;
  await expect(claim({ claimToken: over })).rejects.toMatchObject(refused);
});

test.each(['token', 'key', 'email'])('of claims that race with one %s, one wins', async (what) => {
  const issued = await newKey(`race for a ${what}`);
  const claimToken = await newToken(issued.tenantId);
  const email = newEmail();
  const part = (): Partial<account.ClaimRequest> =>
    what === 'token' ? { claimToken } : what === 'key' ? { apiKey: issued.key } : { email };
  const results = await Promise.allSettled(Array.from({ length: 6 }, () => claim(part())));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject({ reason: 'claim_refused' });
  const rows = await service.sql(
    `SELECT id FROM tenant t WHERE name LIKE 'trial %' AND NOT EXISTS (SELECT FROM account a WHERE a.tenant_id = t.id)`,
  );
  expect(rows).toEqual([]);
});

test.each([
  ['email', { email: 'a@' }, ['email']],
  ['email', { email: 'no at sign' }, ['email']],
  ['email', { email: `${'x'.repeat(250)}@a.bc` }, ['email']],
  ['email', { email: 'two@at@signs.example' }, ['email']],
  ['email', { email: 'line\nbreak@example.org' }, ['email']],
  ['password', { password: 'x7#qLm2!vBz' }, ['password']],
  ['password', { password: 'qv'.repeat(128) + 'w' }, ['password']],
  ['api_key', { apiKey: 'x'.repeat(513) }, ['api_key']],
  ['claim_token', { claimToken: 'x'.repeat(513) }, ['claim_token']],
  ['address', { address: 'somewhere' }, ['address']],
  [
    'all',
    { email: '', password: '', apiKey: 'x'.repeat(513), claimToken: 'x'.repeat(513), address: '' },
    ['email', 'password', 'api_key', 'claim_token', 'address'],
  ],
])('a bad %s is named', async (_field, part, fields) => {
  await expect(claim(part)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', faults: fields.map((field) => ({ field })) });
});

test.each([
  ['the shortest email', { email: 'é@b' }],
  ['the longest email', { email: `${'y'.repeat(249)}@a.bc` }],
  ['the shortest password', { password: 'x7#qLm2!vBzQ' }],
  ['the longest password', { password: 'qv'.repeat(128) }],
])('%s does', async (_what, part) => {
  await expect(claim(part)).resolves.toBeDefined();
});

describe('limits of trials', () => {
  test('two trials a day, however many are asked for at once, and the rest are given the time to come again', async () => {
    const address = '2001:db8:7::';
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) => claim({ address: `${address}${index.toString(16)}` })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    const errors = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as { reason: string; metadata: Record<string, string> }] : [],
    );
    for (const { reason, metadata } of errors) {
      expect(reason).toBe('too_many_trials');
      expect(metadata['retry_after_s']).toMatch(/^86[34]\d\d$/);
    }
    await expect(claim({ address })).rejects.toMatchObject({
      message: 'No more trials are available at the moment, from this address or in total. Try again in 24 h.',
    });
    await expect(claim({ address: '2001:db8:7:1::1' })).resolves.toBeDefined();
    await expect(claim({ address, apiKey: (await newKey('alongside trials')).key })).resolves.toBeDefined();
  });
});
