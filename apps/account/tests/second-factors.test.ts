import { account as contracts, type account } from '@market-state/contracts';
import { createClient } from '@market-state/grpc';
import { patientPeer } from '@market-state/testing';
import { TOTP, URI } from 'otpauth';
import { type AccountUnderTest, startAccountUnderTest } from './account-under-test';
import { digestOf, elsewhere, home as address, MANY_CLAIMS, outcomeOf, password } from './login-calls';
import { mailTo } from './mails';

const STEP_MS = 30_000;
let service: AccountUnderTest;
let owners = 0;
beforeAll(async () => {
  service = await startAccountUnderTest({ limits: MANY_CLAIMS });
});
afterAll(() => service.stop());
beforeEach(() => {
  service.clock.aheadMs += 25 * 3_600_000;
  nextStep();
});

interface Owner {
  readonly email: string;
  readonly accountId: string;
  readonly tenantId: string;
  readonly sessionDigest: Buffer;
  begin(currentPassword?: string): Promise<TOTP>;
  confirm(code: string): Promise<account.ConfirmSecondFactorResponse>;
  login(code?: string, part?: Partial<account.LoginRequest>): Promise<string>;
  disable(code: string, part?: Partial<account.DisableSecondFactorRequest>): Promise<string>;
  kinds(): Promise<string[]>;
}

async function newOwner(): Promise<Owner> {
  owners += 1;
  const email = `factor-${owners}@example.org`;
  const { call } = service.accounts;
  const { opened } = await call.claim({ email, password, apiKey: '', claimToken: '', address });
  const sessionDigest = digestOf(opened);
  const tenantId = opened?.grant?.tenantId ?? '';
  return {
    email,
    tenantId,
    accountId: opened?.grant?.accountId ?? '',
    sessionDigest,
    async begin(currentPassword = password) {
      const totp = URI.parse((await call.beginSecondFactor({ sessionDigest, currentPassword, address })).uri);
      if (totp instanceof TOTP) return totp;
      throw new Error('the URI is not one of a TOTP');
    },
    confirm: (code) => call.confirmSecondFactor({ sessionDigest, code, address }),
    login: (code, part = {}) => outcomeOf(call.login({ email, password, address, code, ...part })),
    disable: (code, part = {}) => outcomeOf(call.disableSecondFactor({ sessionDigest, currentPassword: password, code, address, ...part })),
    kinds: async () => (await call.listAccountEvents({ tenantId, limit: 100, cursor: '' })).events.map(({ kind }) => kind),
  };
}

/** Code of the step `ahead` of the service's current one. */
const codeOf = (totp: TOTP, ahead = 0): string => totp.generate({ timestamp: Date.now() + service.clock.aheadMs + ahead * STEP_MS });

/** Six digits that no step near the current one has. */
function wrongCode(totp: TOTP): string {
  const near = new Set([-2, -1, 0, 1, 2].map((ahead) => codeOf(totp, ahead)));
  return ['000000', '000001', '000002', '000003', '000004', '000005'].find((code) => !near.has(code)) ?? '';
}

/** Two steps on, at the beginning of a step, so that none ends during a test. */
function nextStep(): void {
  const nowMs = Date.now() + service.clock.aheadMs;
  service.clock.aheadMs += 2 * STEP_MS - (nowMs % STEP_MS);
}

async function protectedOwner(): Promise<{ owner: Owner; totp: TOTP; recoveryCodes: readonly string[] }> {
  const owner = await newOwner();
  const totp = await owner.begin();
  const { recoveryCodes } = await owner.confirm(codeOf(totp));
  nextStep();
  return { owner, totp, recoveryCodes };
}

test('with the factor on, a login needs the password and a code; other sessions end', async () => {
  const owner = await newOwner();
  const { call } = service.accounts;
  const other = digestOf((await call.login({ email: owner.email, password, address })).opened);
  const totp = await owner.begin();
  expect({ ...totp, secret: totp.secret.base32.length }).toMatchObject({
    issuer: 'Market-State',
    label: owner.email,
    algorithm: 'SHA1',
    digits: 6,
    period: 30,
    secret: 32,
  });
  expect(await owner.login()).toBe('done');
  const { recoveryCodes, endedSessionCount } = await owner.confirm(codeOf(totp));
  expect(endedSessionCount).toBe(2);
  expect((await call.verifySession({ sessionDigest: other })).grant).toBeUndefined();
  expect(new Set(recoveryCodes).size).toBe(10);
  expect(recoveryCodes.every((code) => /^([a-z2-7]{4}-){3}[a-z2-7]{4}$/.test(code))).toBe(true);
  nextStep();
  expect(await owner.login()).toBe('second_factor_required');
  expect(await owner.login(wrongCode(totp))).toBe('login_refused');
  expect(await owner.login(codeOf(totp), { password: 'wrong' })).toBe('login_refused');
  expect(await owner.login(undefined, { password: 'wrong' })).toBe('login_refused');
  expect(await owner.login(codeOf(totp).replace(/(?=.{3}$)/, ' '))).toBe('done');
  const { tenantId, accountId } = owner;
  expect(await call.getMe({ tenantId, accountId })).toMatchObject({ secondFactorEnabled: true });
  expect(await owner.kinds()).toEqual(['login', 'second_factor_enabled', 'login', 'login']);
});

test('a code works once, also in its own step and for two logins at the same time, and an older one not after it', async () => {
  const { owner, totp } = await protectedOwner();
  const code = codeOf(totp);
  const previous = codeOf(totp, -1);
  expect((await Promise.all([owner.login(code), owner.login(code)])).toSorted()).toEqual(['done', 'login_refused']);
  expect(await owner.login(code)).toBe('login_refused');
  expect(await owner.login(previous)).toBe('login_refused');
  expect(await owner.login(codeOf(totp, 1))).toBe('done');
});

test('a code is accepted one step early or late, and not two', async () => {
  const { owner, totp } = await protectedOwner();
  nextStep();
  expect(await owner.login(codeOf(totp, -2))).toBe('login_refused');
  expect(await owner.login(codeOf(totp, 2))).toBe('login_refused');
  expect(await owner.login(codeOf(totp, -1))).toBe('done');
  expect(await owner.login(codeOf(totp, 1))).toBe('done');
});

test('the code that turned the factor on opens no session', async () => {
  const owner = await newOwner();
  const code = codeOf(await owner.begin());
  await owner.confirm(code);
  expect(await owner.login(code)).toBe('login_refused');
});

test('codes of another account are refused', async () => {
  const [{ owner }, thief] = [await protectedOwner(), await protectedOwner()];
  expect(await owner.login(codeOf(thief.totp))).toBe('login_refused');
  expect(await owner.login(thief.recoveryCodes[0])).toBe('login_refused');
  expect(await owner.disable(codeOf(thief.totp))).toBe('wrong_code');
  await service.ownerSql(
    'UPDATE second_factor SET sealed_secret = (SELECT sealed_secret FROM second_factor WHERE account_id = $1) WHERE account_id = $2',
    [thief.owner.accountId, owner.accountId],
  );
  expect(await owner.login(codeOf(thief.totp))).toBe('login_refused');
});

test('each recovery code works once, also for two logins at the same time, in any case and without hyphens', async () => {
  const { owner, recoveryCodes } = await protectedOwner();
  const [first, second] = recoveryCodes;
  expect((await Promise.all([owner.login(first), owner.login(first)])).toSorted()).toEqual(['done', 'login_refused']);
  expect(await owner.login(first)).toBe('login_refused');
  expect(await owner.login(second?.replaceAll('-', '').toUpperCase())).toBe('done');
  expect((await owner.kinds()).filter((kind) => kind === 'recovery_code_used')).toHaveLength(2);
});

test('after too many wrong codes from any address the right one is refused like them, and a recovery code works', async () => {
  const { owner, totp, recoveryCodes } = await protectedOwner();
  const answers: string[] = [];
  for (let index = 0; index < 10; index += 1) answers.push(await owner.login(wrongCode(totp), { address: elsewhere(index) }));
  expect(new Set(answers)).toEqual(new Set(['login_refused']));
  expect(await owner.login(codeOf(totp))).toBe('login_refused');
  expect(await owner.login(codeOf(totp), { address: elsewhere(11), password: 'wrong' })).toBe('login_refused');
  expect(await owner.disable(codeOf(totp))).toBe('wrong_code');
  expect(await owner.login()).toBe('second_factor_required');
  expect(await owner.login(recoveryCodes[0])).toBe('done');
  service.clock.aheadMs += 15 * 60_000;
  expect(await owner.login(codeOf(totp))).toBe('done');
});

test('wrong passwords of others do not use up the codes of the owner', async () => {
  const { owner, totp } = await protectedOwner();
  for (let index = 0; index < 12; index += 1) await owner.login(wrongCode(totp), { address: elsewhere(index), password: 'wrong' });
  expect(await owner.login(codeOf(totp))).toBe('done');
});

test('concurrent wrong codes do not exceed the limit', async () => {
  const { owner, totp } = await protectedOwner();
  const wrong = wrongCode(totp);
  await Promise.all(Array.from({ length: 12 }, (_, index) => owner.login(wrong, { address: elsewhere(index) })));
  const [row] = await service.sql<{ stamps: string[] }>(
    "SELECT stamps FROM throttle WHERE scope = 'second_factor' ORDER BY last_at DESC LIMIT 1",
  );
  expect(row?.stamps).toHaveLength(10);
  expect(await owner.login(codeOf(totp))).toBe('login_refused');
});

test('a second begin replaces the secret; the old one, a late one and a wrong password are refused', async () => {
  const owner = await newOwner();
  expect(await outcomeOf(owner.begin('wrong'))).toBe('wrong_password');
  expect(await outcomeOf(owner.confirm('123456'))).toBe('wrong_code');
  const [old, current] = [await owner.begin(), await owner.begin()];
  expect(await outcomeOf(owner.confirm(codeOf(old)))).toBe('wrong_code');
  service.clock.aheadMs += 30 * 60_000;
  expect(await outcomeOf(owner.confirm(codeOf(current)))).toBe('wrong_code');
  expect(await owner.login()).toBe('done');
  const last = await owner.begin();
  expect(await outcomeOf(owner.confirm(codeOf(last)))).toBe('done');
  expect(await outcomeOf(owner.begin())).toBe('second_factor_enabled');
  expect(await outcomeOf(owner.confirm(codeOf(last, 1)))).toBe('second_factor_enabled');
});

test('turning it off and new recovery codes need the password and a code', async () => {
  const { owner, totp, recoveryCodes } = await protectedOwner();
  const { sessionDigest } = owner;
  const create = (code: string) => service.accounts.call.createRecoveryCodes({ sessionDigest, currentPassword: password, code, address });
  const fresh = (await create(codeOf(totp))).recoveryCodes;
  expect(await owner.login(recoveryCodes[0])).toBe('login_refused');
  expect(await owner.login(fresh[0])).toBe('done');
  nextStep();
  expect(await owner.disable(codeOf(totp), { currentPassword: 'wrong' })).toBe('wrong_password');
  expect(await owner.disable(fresh[0] ?? '')).toBe('wrong_code');
  expect(await owner.disable(fresh[1] ?? '')).toBe('done');
  expect(await owner.disable(codeOf(totp))).toBe('second_factor_disabled');
  expect(await outcomeOf(create(codeOf(totp)))).toBe('second_factor_disabled');
  expect(await owner.login()).toBe('done');
  expect((await owner.kinds()).toSorted()).toEqual([
    'login',
    'login',
    'recovery_code_used',
    'recovery_code_used',
    'recovery_codes_replaced',
    'second_factor_disabled',
    'second_factor_enabled',
  ]);
});

test('an operator turns it off by the email, and the audit log names the account', async () => {
  const { owner } = await protectedOwner();
  const operator = createClient({
    definition: contracts.OperatorServiceService,
    ...patientPeer('account'),
    address: service.server.address,
  });
  const email = owner.email.toUpperCase();
  expect(await operator.call.removeSecondFactor({ email })).toEqual({ accountId: owner.accountId, tenantId: owner.tenantId });
  expect(await outcomeOf(operator.call.removeSecondFactor({ email }))).toBe('second_factor_disabled');
  expect(await owner.login()).toBe('done');
  const { events } = await service.accounts.call.listAccountEvents({ tenantId: owner.tenantId, limit: 2, cursor: '' });
  expect(events[1]).toMatchObject({ kind: 'second_factor_disabled', accountId: '', subjectId: owner.accountId });
  await operator.close();
});

test('a password reset by mail leaves it on', async () => {
  const { owner, totp } = await protectedOwner();
  const { call } = service.accounts;
  await call.requestPasswordReset({ email: owner.email, address });
  const { text } = await mailTo(service.outbox, owner.email, 'Reset your Market-State password');
  const newPassword = 'quite another long one';
  await call.confirmPasswordReset({ resetToken: /reset_token=([\w-]{43})/.exec(text)?.[1] ?? '', newPassword, address });
  expect(await owner.login(undefined, { password: newPassword })).toBe('second_factor_required');
  expect(await owner.login(codeOf(totp), { password: newPassword })).toBe('done');
});

test('neither the secret nor a recovery code is stored or logged', async () => {
  const { totp, recoveryCodes } = await protectedOwner();
  const rows = await service.sql<{ row: string }>(
    "SELECT sealed_secret::text || coalesce(recovery_digests::text, '') AS row FROM second_factor",
  );
  const text = [...rows.map(({ row }) => row), ...service.lines].join('\n');
  const secrets = [
    totp.secret.base32,
    totp.secret.hex,
    ...recoveryCodes,
    ...recoveryCodes.map((code) => Buffer.from(code).toString('hex')),
  ];
  expect(secrets.filter((secret) => text.toLowerCase().includes(secret.toLowerCase()))).toEqual([]);
});
