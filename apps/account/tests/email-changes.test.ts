import type { account } from '@market-state/contracts';
import { waitUntil } from '@market-state/testing';
import { type AccountUnderTest, startAccountUnderTest } from './account-under-test';
import { digestOf, MANY_CLAIMS, outcomeOf, password } from './login-calls';
import { mailTo, readMails } from './mails';

const address = '203.0.113.1';
const CODE_SUBJECT = 'Confirm the new email of your Market-State account';
let service: AccountUnderTest;
let owners = 0;
beforeAll(async () => {
  service = await startAccountUnderTest({ limits: MANY_CLAIMS });
});
afterAll(() => service.stop());
beforeEach(() => {
  service.clock.aheadMs += 25 * 3_600_000;
});

interface Owner {
  readonly email: string;
  readonly session: Buffer;
  login(email?: string): Promise<Buffer>;
  change(newEmail: string, part?: Partial<account.RequestEmailChangeRequest>): Promise<string>;
  confirm(code: string, session?: Buffer): Promise<string>;
}

async function newOwner(): Promise<Owner> {
  owners += 1;
  const email = `mover-${owners}@example.org`;
  const { call } = service.accounts;
  const session = digestOf((await call.claim({ email, password, apiKey: '', claimToken: '', address })).opened);
  return {
    email,
    session,
    login: async (as = email) => digestOf((await call.login({ email: as, password, address })).opened),
    change: (newEmail, part = {}) =>
      outcomeOf(call.requestEmailChange({ sessionDigest: session, newEmail, currentPassword: password, address, ...part })),
    confirm: (code, sessionDigest = session) => outcomeOf(call.confirmEmailChange({ sessionDigest, code, address })),
  };
}

const codeIn = (text: string): string => /email_code=([\w-]{43})/.exec(text)?.[1] ?? '';

async function codeFor(newEmail: string): Promise<string> {
  return codeIn((await mailTo(service.outbox, newEmail, CODE_SUBJECT)).text);
}

const isOpen = async (sessionDigest: Buffer): Promise<boolean> =>
  (await service.accounts.call.verifySession({ sessionDigest })).grant !== undefined;

test('a new email is used once its code is confirmed, which ends the other sessions and informs both addresses', async () => {
  const owner = await newOwner();
  const other = await owner.login();
  const newEmail = 'Moved-1@example.org';
  expect(await owner.change(newEmail)).toBe('done');
  await mailTo(service.outbox, owner.email, 'A new email was requested for your Market-State account');
  const code = await codeFor(newEmail);
  expect(await isOpen(await owner.login())).toBe(true);
  await service.accounts.call.requestPasswordReset({ email: owner.email, address });
  const reset = await mailTo(service.outbox, owner.email, 'Reset your Market-State password');
  expect(await owner.confirm(code)).toBe('done');
  expect([await isOpen(owner.session), await isOpen(other)]).toEqual([true, false]);
  expect(await outcomeOf(owner.login())).toBe('login_refused');
  expect(await isOpen(await owner.login(newEmail.toLowerCase()))).toBe(true);
  await mailTo(service.outbox, owner.email, 'The email of your Market-State account was changed');
  const resetToken = /reset_token=([\w-]{43})/.exec(reset.text)?.[1] ?? '';
  expect(await outcomeOf(service.accounts.call.confirmPasswordReset({ resetToken, newPassword: 'quite another long one', address }))).toBe(
    'reset_refused',
  );
  expect(await owner.confirm(code)).toBe('wrong_code');
});

test('a code is refused for another account, after its time and once it is replaced', async () => {
  const [owner, thief] = [await newOwner(), await newOwner()];
  expect(await owner.change('target-1@example.org')).toBe('done');
  const first = await codeFor('target-1@example.org');
  expect(await thief.confirm(first)).toBe('wrong_code');
  expect(await owner.change('target-2@example.org')).toBe('done');
  const second = await codeFor('target-2@example.org');
  expect(await owner.confirm(first)).toBe('wrong_code');
  service.clock.aheadMs += 30 * 60_000;
  expect(await owner.confirm(second)).toBe('wrong_code');
  expect(await isOpen(await owner.login())).toBe(true);
});

test('the answer does not reveal that an email has an account; its owner gets a mail without a code', async () => {
  const [owner, resident] = [await newOwner(), await newOwner()];
  expect(await owner.change(resident.email.toUpperCase())).toBe('done');
  const notice = await mailTo(service.outbox, resident.email, 'This email already has a Market-State account');
  expect(codeIn(notice.text)).toBe('');
  expect(await isOpen(await resident.login())).toBe(true);
});

test('of two accounts that change to one email at the same time, one gets it', async () => {
  const [one, other] = [await newOwner(), await newOwner()];
  const newEmail = `wanted-${owners}@example.org`;
  expect(await one.change(newEmail)).toBe('done');
  expect(await other.change(newEmail)).toBe('done');
  const codes = await waitUntil('two codes', () => {
    const found = readMails(service.outbox).filter(({ to, subject }) => to === newEmail && subject === CODE_SUBJECT);
    return found.length === 2 && found.map(({ text }) => codeIn(text));
  });
  const outcomes = await Promise.all(codes.flatMap((code) => [one.confirm(code), other.confirm(code)]));
  expect(outcomes.toSorted()).toEqual(['done', 'wrong_code', 'wrong_code', 'wrong_code']);
  const accounts = await service.sql<{ id: string }>('SELECT id FROM account WHERE email = $1', [newEmail]);
  expect(accounts).toHaveLength(1);
});

test('two confirmations of one code at the same time change the email once', async () => {
  const owner = await newOwner();
  await owner.change('twice@example.org');
  const code = await codeFor('twice@example.org');
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => owner.confirm(code)));
  expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1);
});

test('a change needs the password and an open session, and is limited', async () => {
  const owner = await newOwner();
  expect(await owner.change(owner.email.toUpperCase())).toBe('unchanged');
  expect(await owner.change('no-at-sign')).toBe('malformed');
  expect(await owner.change('x@example.org', { sessionDigest: Buffer.alloc(32) })).toBe('unauthenticated');
  for (let time = 0; time < 4; time += 1) expect(await owner.change('x@example.org', { currentPassword: 'wrong' })).toBe('wrong_password');
  expect(await owner.change('limited@example.org')).toBe('done');
  expect(await owner.change('limited@example.org')).toBe('too_many_attempts');
});

test('neither codes nor new emails are logged, and codes are not stored', async () => {
  const owner = await newOwner();
  await owner.change('quiet@example.org');
  const code = await codeFor('quiet@example.org');
  const rows = await service.sql<{ row: string }>('SELECT email_change::text AS row FROM email_change');
  for (const text of [service.lines.join(''), rows.map(({ row }) => row).join('')]) expect(text).not.toContain(code);
});
