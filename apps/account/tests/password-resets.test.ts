import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { account } from '@market-state/contracts';
import { secretDigest } from '@market-state/credentials';
import { waitUntil } from '@market-state/testing';
import { type AccountUnderTest, startAccountUnderTest } from './account-under-test';

const password = 'a quiet river 81';
const newPassword = 'another river 82';
const home = '203.0.113.1';
const refused = {
  code: 'UNAUTHENTICATED',
  reason: 'reset_refused',
  message: 'The reset token is invalid: it was used, replaced by a newer one, or has expired.',
  faults: [],
  metadata: {},
};

const nothingReverted = { revokedKeys: [], closedAccountEmails: [], movedToTenantId: '' };

let service: AccountUnderTest;
let email = '';
let session = '';
let owners = 0;
let mails = 0;
beforeAll(async () => {
  service = await startAccountUnderTest();
});
afterAll(() => service.stop());

/** Each test has its own account and day, so earlier attempts do not count. */
beforeEach(async () => {
  owners += 1;
  email = `owner-${owners}@example.org`;
  service.clock.aheadMs += 25 * 3_600_000;
  const { opened } = await service.accounts.call.claim({ email, password, apiKey: '', claimToken: '', address: home });
  session = opened?.session ?? '';
});

function ask(part: Partial<account.RequestPasswordResetRequest> = {}): Promise<unknown> {
  return service.accounts.call.requestPasswordReset({ email, address: home, ...part });
}
function confirm(resetToken: string, part: Partial<account.ConfirmPasswordResetRequest> = {}): Promise<unknown> {
  return service.accounts.call.confirmPasswordReset({ resetToken, newPassword, address: home, ...part });
}
async function nextToken(): Promise<string> {
  const name = await waitUntil(
    'a mail',
    () =>
      readdirSync(service.outbox)
        .filter((file) => !file.startsWith('.'))
        .sort()[mails],
  );
  mails += 1;
  const source = readFileSync(join(service.outbox, name), 'utf8');
  expect(source).toContain(`To: ${email}`);
  return /reset_token=([0-9A-Za-z_-]{43})/.exec(source)?.[1] ?? '';
}
/** Resolves once the outbox is empty. */
async function sent(): Promise<void> {
  await waitUntil('an empty outbox', async () => (await service.sql('SELECT FROM outbox_mail')).length === 0);
}
function login(secret: string): Promise<unknown> {
  return service.accounts.call.login({ email, password: secret, address: home });
}

test('a mailed token sets a new password once, ends every session and opens none', async () => {
  expect(await ask()).toMatchObject({ mailToFolder: true });
  const token = await nextToken();
  await expect(confirm(token)).resolves.toEqual({ ...nothingReverted, endedSessionCount: 1 });
  await expect(service.accounts.call.verifySession({ sessionDigest: secretDigest(session) })).resolves.toEqual({ grant: undefined });
  await expect(login(password)).rejects.toMatchObject({ reason: 'login_refused' });
  await expect(login(newPassword)).resolves.toBeDefined();
  await expect(confirm(token)).rejects.toMatchObject(refused);
});

test('an email without an account gets the same answer, and no mail', async () => {
  await expect(ask()).resolves.toEqual(await ask({ email: 'unknown@example.org' }));
  await expect(ask({ email: 'no\u0000body' })).resolves.toEqual({ mailToFolder: true });
  await expect(ask({ email: 'not an email' })).resolves.toEqual({ mailToFolder: true });
  await nextToken();
  await sent();
  expect(readdirSync(service.outbox)).toHaveLength(mails);
});

test('only the newest token is good', async () => {
  await ask();
  const first = await nextToken();
  await ask();
  const second = await nextToken();
  await expect(confirm(first)).rejects.toMatchObject(refused);
  await expect(confirm(second)).resolves.toMatchObject(nothingReverted);
});

test('a token is good for 30 min', async () => {
  await ask();
  const token = await nextToken();
  service.clock.aheadMs += 30 * 60_000;
  await expect(confirm(token)).rejects.toMatchObject(refused);
});

test.each(['x'.repeat(20), 'x'.repeat(43), 'x'.repeat(512), 'x'.repeat(42) + '\u0000'])(
  'a made-up token gets the same answer: %j',
  async (token) => {
    await expect(confirm(token)).rejects.toMatchObject(refused);
  },
);

test('of uses of one token at once, one succeeds', async () => {
  await ask();
  const token = await nextToken();
  const uses = await Promise.allSettled(
    Array.from({ length: 8 }, (_, index) =>
      service.accounts.call.confirmPasswordReset(
        { resetToken: token, newPassword, address: `198.51.100.${index}` },
        { deadlineMs: 30_000 },
      ),
    ),
  );
  expect(uses.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('a password that will not do names its faults and leaves the token good', async () => {
  await ask();
  const token = await nextToken();
  await expect(confirm(token, { newPassword: `it is owner-${owners} here` })).rejects.toMatchObject({
    faults: [{ field: 'new_password', type: 'contains_email' }],
  });
  await expect(confirm(token, { newPassword: 'password1234' })).rejects.toMatchObject({
    faults: [{ field: 'new_password', type: 'too_common' }],
  });
  await expect(confirm(token)).resolves.toMatchObject(nothingReverted);
});

test.each([
  ['confirm', { resetToken: 'x'.repeat(19), newPassword: 'x7#qLm2!vBz', address: '' }, ['reset_token', 'new_password', 'address']],
  ['confirm', { resetToken: 'x'.repeat(513), newPassword: 'qv'.repeat(128) + 'w', address: home }, ['reset_token', 'new_password']],
])('%s names every bad field', async (_call, request, fields) => {
  await expect(service.accounts.call.confirmPasswordReset(request)).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    faults: fields.map((field) => ({ field })),
  });
});

test.each([
  ['too short', { email: 'ab' }, ['email']],
  ['too long', { email: 'x'.repeat(255), address: 'x' }, ['email', 'address']],
])('a request names an email that is %s', async (_what, part, fields) => {
  await expect(ask(part)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', faults: fields.map((field) => ({ field })) });
});

test('silently limits an account to three mails an hour; refuses over ten requests an hour from an address', async () => {
  for (let request = 0; request < 10; request += 1) await ask();
  const error: unknown = await ask().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: 'RESOURCE_EXHAUSTED',
    reason: 'too_many_attempts',
    metadata: { retry_after_s: expect.stringMatching(/^3(600|5\d\d)$/) as string },
  });
  await expect(ask({ address: '203.0.113.2' })).resolves.toEqual({ mailToFolder: true });
  for (let mail = 0; mail < 3; mail += 1) await nextToken();
  await sent();
  expect(readdirSync(service.outbox)).toHaveLength(mails);
});

test('a link leads to the host of the settings', async () => {
  await ask();
  await nextToken();
  const name = readdirSync(service.outbox).sort().at(-1) ?? '';
  expect(readFileSync(join(service.outbox, name), 'utf8')).toContain('https://market-state.example/reset#reset_token=');
});
