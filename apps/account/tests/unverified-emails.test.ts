import { randomUUID } from 'node:crypto';
import { account } from '@market-state/contracts';
import { secretDigest } from '@market-state/credentials';
import { waitUntil } from '@market-state/testing';
import { type AccountUnderTest, startAccountUnderTest } from './account-under-test';
import { mailTo } from './mails';

const password = 'a quiet river 81';
const ownPassword = 'another river 82';
const attacker = '203.0.113.66';
const home = '203.0.113.1';
const scopes = [account.Scope.READ, account.Scope.ACCOUNT];

/** Races of two calls; `npm run verify` runs more. */
const ROUNDS = Number(process.env['PROPERTY_RUNS'] ?? 2);

let addresses = 0;
let service: AccountUnderTest;
beforeAll(async () => {
  service = await startAccountUnderTest();
});
afterAll(() => service.stop());

function claim(email: string, part: Partial<account.ClaimRequest> = {}): Promise<account.ClaimResponse> {
  return service.accounts.call.claim({ email, password, apiKey: '', claimToken: '', address: attacker, ...part });
}
function createKey(tenantId: string, name: string, session?: string): Promise<account.CreateKeyResponse> {
  return service.client.call.createKey({
    tenantId,
    name,
    kind: account.KeyKind.LIVE,
    scopes,
    expiresTsMs: 0,
    ...(session === undefined ? {} : { credentialDigest: secretDigest(session) }),
  });
}
async function resetByMail(email: string, address = home): Promise<account.ConfirmPasswordResetResponse> {
  await service.accounts.call.requestPasswordReset({ email, address });
  const { text } = await mailTo(service.outbox, email, 'Reset your Market-State password');
  return service.accounts.call.confirmPasswordReset({
    resetToken: /reset_token=([\w-]{43})/.exec(text)?.[1] ?? '',
    newPassword: ownPassword,
    address,
  });
}

test("an impostor who claimed an email loses everything at the owner's reset, which names it", async () => {
  const email = 'owner@example.org';
  const { opened } = await claim(email);
  const tenantId = opened?.grant?.tenantId ?? '';
  const session = opened?.session ?? '';
  const [first, second] = [await createKey(tenantId, 'first', session), await createKey(tenantId, 'second', session)];
  const attackerEmail = await claim('back-door@example.org', { apiKey: second.key });
  expect(attackerEmail.opened?.grant?.tenantId).toBe(tenantId);

  const taken = await resetByMail(email);
  expect(taken).toMatchObject({
    revokedKeys: [first, second].map(({ record, key }) => ({
      keyId: record?.keyId,
      name: record?.name,
      displayFirst: key.slice(0, 12),
      displayLast: key.slice(-4),
    })),
    endedSessionCount: 1,
    closedAccountEmails: ['back-door@example.org'],
  });
  expect([await service.verify(first.key), await service.verify(second.key)]).toEqual([undefined, undefined]);
  for (const secret of [session, attackerEmail.opened?.session ?? '']) {
    await expect(service.accounts.call.verifySession({ sessionDigest: secretDigest(secret) })).resolves.toEqual({ grant: undefined });
  }
  await expect(createKey(tenantId, 'after all', session)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  await expect(claim('late@example.org', { apiKey: first.key })).rejects.toMatchObject({ reason: 'claim_refused' });
  await expect(service.accounts.call.login({ email: 'back-door@example.org', password, address: attacker })).rejects.toMatchObject({
    reason: 'login_refused',
  });
  await expect(
    service.sql('SELECT address FROM known_address k JOIN account a ON a.id = k.account_id WHERE a.email = $1', [email]),
  ).resolves.toEqual([{ address: home }]);

  const own = await service.accounts.call.login({ email, password: ownPassword, address: home });
  expect(own.opened?.grant?.tenantId).toBe(tenantId);
  const key = await createKey(tenantId, 'own', own.opened?.session);
  await expect(service.verify(key.key)).resolves.toBeDefined();
});

test('keys made while an email was claimed and reset at once are either revoked or refused', async () => {
  const email = 'raced@example.org';
  const { opened } = await claim(email, { address: '203.0.113.69' });
  const tenantId = opened?.grant?.tenantId ?? '';
  const made: string[] = [];
  let over = false;
  async function keepMaking(): Promise<void> {
    while (!over) {
      const { key, record } = await createKey(tenantId, 'raced', opened?.session).catch(() => ({ key: '', record: undefined }));
      if (key === '') return;
      made.push(key);
      await service.client.call.revokeKey({ keyId: record?.keyId ?? '', tenantId }).catch(() => undefined);
    }
  }
  const making = Promise.all([keepMaking(), keepMaking(), keepMaking()]);
  await waitUntil('the first key', () => made.length > 0);
  await resetByMail(email);
  over = true;
  await making;
  for (const key of made) expect(await service.verify(key)).toBeUndefined();
});

test('first resets of two accounts of one trial at the same time wait for each other', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const [one, other] = [`one-${round}@example.org`, `other-${round}@example.org`];
    const { opened } = await claim(one, { address: `198.51.100.${round + 1}` });
    const { key } = await createKey(opened?.grant?.tenantId ?? '', 'shared', opened?.session);
    await claim(other, { apiKey: key, address: `198.51.100.${round + 101}` });
    const done = await Promise.allSettled([resetByMail(one, `192.0.2.${2 * round + 1}`), resetByMail(other, `192.0.2.${2 * round + 2}`)]);
    const refusals = done.flatMap((result) => (result.status === 'rejected' ? [(result.reason as { reason?: string }).reason] : []));
    // The first may have closed the other's account and deleted its token.
    expect(refusals.filter((reason) => reason !== 'reset_refused')).toEqual([]);
    expect(refusals.length).toBeLessThan(2);
  }
});

test('a reset of a verified email leaves its keys', async () => {
  const email = 'verified@example.org';
  const { opened } = await claim(email, { address: '203.0.113.67' });
  const tenantId = opened?.grant?.tenantId ?? '';
  await service.sql('UPDATE account SET email_verified_at = now() WHERE email = $1', [email]);
  const { key } = await createKey(tenantId, 'kept', opened?.session);
  await expect(resetByMail(email)).resolves.toEqual({
    revokedKeys: [],
    endedSessionCount: 1,
    closedAccountEmails: [],
    movedToTenantId: '',
  });
  await expect(service.verify(key)).resolves.toBeDefined();
});

test('an owner whose email was claimed into the trial of another account gets a tenant apart from it', async () => {
  const email = 'lured@example.org';
  const theirs = await claim('lurer@example.org', { address: '203.0.113.70' });
  const tenantId = theirs.opened?.grant?.tenantId ?? '';
  const { key } = await createKey(tenantId, 'lure');
  const lured = await claim(email, { apiKey: key });
  expect(lured.opened?.grant?.tenantId).toBe(tenantId);

  const taken = await resetByMail(email);
  expect(taken).toMatchObject({ revokedKeys: [], closedAccountEmails: [], endedSessionCount: 1 });
  expect(taken.movedToTenantId).toMatch(/^ten_/);
  const own = await service.accounts.call.login({ email, password: ownPassword, address: home });
  expect(own.opened?.grant?.tenantId).toBe(taken.movedToTenantId);
  await expect(service.client.call.listKeys({ tenantId: taken.movedToTenantId, limit: 10, cursor: '' })).resolves.toMatchObject({
    keys: [],
  });
  await expect(service.accounts.call.verifySession({ sessionDigest: secretDigest(lured.opened?.session ?? '') })).resolves.toEqual({
    grant: undefined,
  });
  await expect(service.accounts.call.login({ email: 'lurer@example.org', password, address: '203.0.113.70' })).resolves.toMatchObject({
    opened: { grant: { tenantId } },
  });
});

test('a colleague whose email is verified stays, with the keys; the owner gets a tenant apart', async () => {
  const [own, colleague] = [`${randomUUID()}@example.org`, `${randomUUID()}@example.org`];
  const { opened } = await claim(own, { address: '203.0.113.71' });
  const tenantId = opened?.grant?.tenantId ?? '';
  const { key } = await createKey(tenantId, 'shared');
  const other = await claim(colleague, { apiKey: key });
  await service.sql('UPDATE account SET email_verified_at = now() WHERE email = $1', [colleague]);
  const taken = await resetByMail(own);
  expect(taken).toMatchObject({ revokedKeys: [], closedAccountEmails: [] });
  expect(taken.movedToTenantId).toMatch(/^ten_/);
  await expect(service.verify(key)).resolves.toBeDefined();
  await expect(service.accounts.call.verifySession({ sessionDigest: secretDigest(other.opened?.session ?? '') })).resolves.toMatchObject({
    grant: { tenantId },
  });
});

test.each([
  ['an operator has made', 'UPDATE tenant SET name = id WHERE id = $1'],
  ['has a plan', `UPDATE tenant SET plan_id = 'public_pro' WHERE id = $1`],
  [
    'was paid for',
    `INSERT INTO billing_order (id, tenant_id, provider, status, plan_id, amount_cents, caller_references, checkout_url, created_at,
      fulfilled_at)
     VALUES ('ord_' || $1::text, $1::text, 'offline', 'fulfilled', 'topup', 3900, '{}', '', now(), now())`,
  ],
])('the first reset takes nothing from a tenant that %s', async (_what, sql) => {
  const [own, colleague] = [`${randomUUID()}@example.org`, `${randomUUID()}@example.org`];
  const { opened } = await claim(own, { address: `203.0.113.${100 + (addresses += 1)}` });
  const tenantId = opened?.grant?.tenantId ?? '';
  await service.sql(sql, [tenantId]);
  const { key } = await createKey(tenantId, 'in use');
  const other = await claim(colleague, { apiKey: key });
  await expect(resetByMail(own)).resolves.toEqual({ revokedKeys: [], endedSessionCount: 1, closedAccountEmails: [], movedToTenantId: '' });
  await expect(service.verify(key)).resolves.toBeDefined();
  await expect(service.accounts.call.verifySession({ sessionDigest: secretDigest(other.opened?.session ?? '') })).resolves.toMatchObject({
    grant: { tenantId },
  });
});

test('a trial may have three active keys', async () => {
  const { opened } = await claim('three-keys@example.org', { address: '203.0.113.68' });
  const tenantId = opened?.grant?.tenantId ?? '';
  for (const name of ['one', 'two', 'three']) await createKey(tenantId, name);
  await expect(createKey(tenantId, 'four')).rejects.toMatchObject({
    code: 'RESOURCE_EXHAUSTED',
    reason: 'too_many_keys',
    message: 'The plan trial is limited to 3 active keys. Revoke one first.',
  });
});
