import { account } from '@market-state/contracts';
import { secretDigest } from '@market-state/credentials';
import { waitUntil } from '@market-state/testing';
import { type AccountUnderTest, orderFor, startAccountUnderTest } from './account-under-test';
import { mailTo, readMails } from './mails';

const password = 'a quiet river 81';
const OPEN = 'Open your Market-State account';
const HAS_ONE = 'You already have a Market-State account';
const refused = { code: 'UNAUTHENTICATED', reason: 'claim_refused' };

let service: AccountUnderTest;
let email = '';
let home = '';
let people = 0;
beforeAll(async () => {
  service = await startAccountUnderTest({ config: { verifiesEmails: true } });
});
afterAll(() => service.stop());

/** Each test has its own email and address. */
beforeEach(() => {
  people += 1;
  email = `person-${people}@example.org`;
  home = `10.1.0.${people}`;
});

function claim(part: Partial<account.ClaimRequest> = {}): Promise<account.ClaimResponse> {
  return service.accounts.call.claim({ email, password, apiKey: '', claimToken: '', address: home, ...part }, { deadlineMs: 30_000 });
}
async function mailedToken(): Promise<string> {
  await claim();
  return tokenOf((await mailTo(service.outbox, email, OPEN)).text);
}
function tokenOf(text: string): string {
  return /#claim_token=([\w-]{43})&/.exec(text)?.[1] ?? '';
}
async function hashes(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${service.server.opsPort}/metrics`)).text();
  return Number(/^account_password_hashes_total\S* (\d+)$/m.exec(text)?.[1]);
}
const rowsOf = async (table: string): Promise<number> =>
  (await service.sql<{ total: number }>(`SELECT count(*)::int AS total FROM ${table}`))[0]?.total ?? 0;
const allSent = () => waitUntil('an empty outbox', async () => (await rowsOf('outbox_mail')) === 0);

test('without a key or token it stores and hashes nothing of the password, and the mail opens the trial', async () => {
  const [before, accounts, tenants] = [await hashes(), await rowsOf('account'), await rowsOf('tenant')];
  await expect(claim()).resolves.toEqual({ opened: undefined, verificationSent: true, mailToFolder: true });
  const mail = await mailTo(service.outbox, email, OPEN);
  expect([(await hashes()) - before, await rowsOf('account'), await rowsOf('tenant')]).toEqual([0, accounts, tenants]);
  expect(mail.text).toContain(
    `\nhttps://market-state.example/claim#claim_token=${tokenOf(mail.text)}&email=person-${people}%40example.org\n`,
  );
  const { opened } = await claim({ claimToken: tokenOf(mail.text), password: 'chosen later 82 times' });
  expect(opened?.grant?.plan?.planId).toBe('trial');
  const { accountId = '', tenantId = '' } = opened?.grant ?? {};
  await expect(service.accounts.call.getMe({ tenantId, accountId })).resolves.toMatchObject({ email, emailVerified: true });
  await expect(service.accounts.call.login({ email, password, address: home })).rejects.toMatchObject({ reason: 'login_refused' });
  await expect(service.accounts.call.login({ email, password: 'chosen later 82 times', address: home })).resolves.toBeDefined();
});

test('an email that has an account gets the same answer and word of its account, no second one', async () => {
  const opened = await claim({ claimToken: await mailedToken() });
  const before = await hashes();
  await expect(claim({ email: email.toUpperCase(), address: '10.2.0.1' })).resolves.toEqual({
    opened: undefined,
    verificationSent: true,
    mailToFolder: true,
  });
  expect((await mailTo(service.outbox, email, HAS_ONE)).text).toContain('\nhttps://market-state.example/reset\n');
  expect((await hashes()) - before).toBe(0);
  await expect(service.accounts.call.verifySession({ sessionDigest: secretDigest(opened.opened?.session ?? '') })).resolves.toMatchObject({
    grant: { tenantId: opened.opened?.grant?.tenantId },
  });
});

test('a mailed token is good for its email alone, once, for 24 h', async () => {
  const claimToken = await mailedToken();
  await expect(claim({ claimToken, email: 'somebody-else@example.org' })).rejects.toMatchObject(refused);
  service.clock.aheadMs += 24 * 3_600_000 - 60_000;
  const uses = await Promise.allSettled(Array.from({ length: 8 }, (_, index) => claim({ claimToken, address: `10.3.0.${index}` })));
  expect(uses.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  email = 'a-day-later@example.org';
  const late = await mailedToken();
  service.clock.aheadMs += 24 * 3_600_000;
  await expect(claim({ claimToken: late })).rejects.toMatchObject(refused);
});

test('with a key in addition to the token it binds the tenant of the key, and the email is verified', async () => {
  const issued = await service.client.call.issueKey({ ...orderFor('with both'), scopes: [account.Scope.READ, account.Scope.ACCOUNT] });
  const { opened } = await claim({ claimToken: await mailedToken(), apiKey: issued.key });
  expect(opened?.grant?.tenantId).toBe(issued.tenantId);
  await expect(
    service.accounts.call.getMe({ tenantId: issued.tenantId, accountId: opened?.grant?.accountId ?? '' }),
  ).resolves.toMatchObject({ emailVerified: true });
});

test('with a key alone it binds the tenant at once, and nothing is mailed', async () => {
  const issued = await service.client.call.issueKey({ ...orderFor('by key'), scopes: [account.Scope.READ, account.Scope.ACCOUNT] });
  const { opened, verificationSent } = await claim({ apiKey: issued.key });
  expect([opened?.grant?.tenantId, verificationSent]).toEqual([issued.tenantId, false]);
  await allSent();
  expect(readMails(service.outbox).filter(({ to }) => to === email)).toEqual([]);
});

const accountKey = async (tenantName: string) =>
  (await service.client.call.issueKey({ ...orderFor(tenantName), scopes: [account.Scope.READ, account.Scope.ACCOUNT] })).key;
const tooMany = {
  code: 'RESOURCE_EXHAUSTED',
  reason: 'too_many_attempts',
  metadata: { retry_after_s: expect.stringMatching(/^3(600|5\d\d)$/) as string },
};

test('with keys alone an address claims five times an hour, also where every claim succeeds', async () => {
  const name = `many keys ${people}`;
  for (let made = 0; made < 5; made += 1) await claim({ apiKey: await accountKey(name), email: `key-${made}-${email}` });
  await expect(claim({ apiKey: await accountKey(name), email: `key-5-${email}` })).rejects.toMatchObject(tooMany);
  await expect(claim({ apiKey: await accountKey(name), email: `key-6-${email}`, address: '10.5.0.1' })).resolves.toMatchObject({
    verificationSent: false,
  });
});

test('with the keys of a tenant five emails an hour are found to be taken, from however many addresses', async () => {
  const name = `asking ${people}`;
  await claim({ apiKey: await accountKey(name) });
  const apiKey = await accountKey(name);
  for (let requested = 0; requested < 5; requested += 1)
    await expect(claim({ apiKey, address: `10.6.0.${requested}` })).rejects.toMatchObject(refused);
  await expect(claim({ apiKey, address: '10.6.0.9' })).rejects.toMatchObject(tooMany);
  await expect(claim({ apiKey: await accountKey(name), email: `free-${email}`, address: '10.6.0.10' })).rejects.toMatchObject(tooMany);
});

test('silently limits an email to three mails an hour; refuses over ten claims an hour from an address', async () => {
  for (let requested = 0; requested < 10; requested += 1)
    await expect(claim()).resolves.toEqual({ opened: undefined, verificationSent: true, mailToFolder: true });
  await expect(claim()).rejects.toMatchObject({
    code: 'RESOURCE_EXHAUSTED',
    reason: 'too_many_attempts',
    metadata: { retry_after_s: expect.stringMatching(/^3(60\d|5\d\d)$/) as string },
  });
  await expect(claim({ address: '10.4.0.1' })).resolves.toEqual({ opened: undefined, verificationSent: true, mailToFolder: true });
  await allSent();
  expect(readMails(service.outbox).filter(({ to }) => to === email)).toHaveLength(3);
});

test('an address that has opened its trials is refused before a mail is sent, and its links open none until a day later', async () => {
  const tokens: string[] = [];
  const emails = ['one', 'two', 'three'].map((name) => `${name}-${people}@example.org`);
  for (email of emails) tokens.push(await mailedToken());
  const uses = await Promise.allSettled(emails.map((to, index) => claim({ email: to, claimToken: tokens[index] ?? '' })));
  const failed = uses.flatMap((use, index) => (use.status === 'rejected' ? [{ index, reason: use.reason as unknown }] : []));
  expect(failed).toMatchObject([{ reason: { code: 'RESOURCE_EXHAUSTED', reason: 'too_many_trials' } }]);
  await expect(claim({ email: 'four@example.org' })).rejects.toMatchObject({ reason: 'too_many_trials' });
  const index = failed[0]?.index ?? 0;
  await expect(claim({ email: emails[index] ?? '', claimToken: tokens[index] ?? '', address: '10.4.0.2' })).resolves.toMatchObject({
    verificationSent: false,
  });
});
