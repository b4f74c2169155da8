import { generateKeyPairSync } from 'node:crypto';
import { account } from '@market-state/contracts';
import { secretDigest } from '@market-state/credentials';
import { startOidcProvider, type TestOidcProvider } from '@market-state/testing';
import { TOTP, URI } from 'otpauth';
import { type AccountUnderTest, startAccountUnderTest } from './account-under-test';
import { digestOf, home as address, MANY_CLAIMS, outcomeOf, password } from './login-calls';
import { mailTo } from './mails';

const { MemberRole } = account;
const CALLBACK = 'https://market-state.example/login';
const MINUTE_MS = 60_000;

let provider: TestOidcProvider;
let service: AccountUnderTest;
let people = 0;

beforeAll(async () => {
  provider = await startOidcProvider({ redirectUris: [CALLBACK] });
  const { issuer, clientId, clientSecret } = provider;
  const newcomers = { domains: ['Company.example'], tenantName: 'company' };
  service = await startAccountUnderTest({
    limits: MANY_CLAIMS,
    config: { oidc: { issuer, clientId, clientSecret, name: 'Company login', newcomers } },
  });
});
afterAll(async () => {
  await service.stop();
  await provider.close();
});
beforeEach(() => {
  service.clock.aheadMs += 25 * 60 * MINUTE_MS;
  Object.assign(provider, { rejects: false, emailInUserInfoOnly: false, forged: null, fault: null });
});

/** Logs in at the provider from now on. */
function become(email: string, claims: object = { email_verified: true }, subject = `sub ${email}`): void {
  provider.person = { subject, claims: { email, ...claims } };
}

function newEmail(domain = 'elsewhere.example'): string {
  people += 1;
  return `person-${people}@${domain}`;
}

/** Owner of a new trial whose email is verified. */
async function newOwner(): Promise<{
  readonly email: string;
  readonly accountId: string;
  readonly tenantId: string;
  readonly session: Buffer;
}> {
  const email = newEmail();
  const { opened } = await service.accounts.call.claim({ email, password, apiKey: '', claimToken: '', address });
  const { accountId = '', tenantId = '' } = opened?.grant ?? {};
  await service.sql('UPDATE account SET email_verified_at = now() WHERE id = $1', [accountId]);
  return { email, accountId, tenantId, session: digestOf(opened) };
}

async function begin() {
  const { authorizationUrl, loginSecret } = await service.accounts.call.beginOidcLogin({ address });
  const { searchParams } = await provider.logIn(authorizationUrl);
  return { authorizationUrl: new URL(authorizationUrl), loginSecret, query: searchParams };
}

const finish = ({ loginSecret, query }: { readonly loginSecret: string; readonly query: URLSearchParams }) =>
  service.accounts.call.finishOidcLogin({ loginSecret, query: query.toString(), address });

const logIn = async () => finish(await begin());
const outcome = () => outcomeOf(logIn());

const eventsOf = async (tenantId: string) => (await service.accounts.call.listAccountEvents({ tenantId, limit: 100, cursor: '' })).events;

/** Tenant of people without an account, with an owner. */
async function company(): Promise<{ readonly tenantId: string; readonly session: Buffer }> {
  const [known] = await service.sql<{ id: string }>(`SELECT id FROM tenant WHERE name = 'company'`);
  const tenantId = known?.id ?? 'tnt_company';
  if (known === undefined) await service.sql(`INSERT INTO tenant (id, name, created_at) VALUES ($1, 'company', now())`, [tenantId]);
  const owner = await newOwner();
  await service.sql('UPDATE account SET tenant_id = $1 WHERE id = $2', [tenantId, owner.accountId]);
  return { tenantId, session: owner.session };
}

test('a verified email opens a session of its account, and later logins follow the subject', async () => {
  const owner = await newOwner();
  become(owner.email.toUpperCase(), { email_verified: true }, 'subject of the owner');
  const { opened } = await logIn();
  expect(opened?.grant).toMatchObject({ accountId: owner.accountId, tenantId: owner.tenantId, role: MemberRole.OWNER });
  const { grant } = await service.accounts.call.verifySession({ sessionDigest: digestOf(opened) });
  expect(grant?.accountId).toBe(owner.accountId);
  expect((await eventsOf(owner.tenantId))[0]).toMatchObject({
    kind: 'login',
    method: 'oidc',
    accountId: owner.accountId,
    accountEmail: owner.email,
    address,
  });
  become(newEmail(), { email_verified: true }, 'subject of the owner');
  expect((await logIn()).opened?.grant?.accountId).toBe(owner.accountId);
  become(owner.email, { email_verified: true }, 'another subject');
  expect(await outcome()).toBe('oidc_refused');
  await service.accounts.call.login({ email: owner.email, password, address });
  expect((await eventsOf(owner.tenantId))[0]).toMatchObject({ kind: 'login', method: 'password' });
});

test('the request has state, nonce and a PKCE challenge, and nothing of them is stored', async () => {
  const { authorizationUrl, loginSecret } = await begin();
  const sent = Object.fromEntries(authorizationUrl.searchParams);
  expect(sent).toMatchObject({
    response_type: 'code',
    scope: 'openid email',
    redirect_uri: CALLBACK,
    client_id: provider.clientId,
    code_challenge_method: 'S256',
  });
  const [row] = await service.sql<{ text: string; digest: Buffer }>('SELECT t::text AS text, digest FROM oidc_login t');
  expect(row?.digest).toEqual(Buffer.from(secretDigest(loginSecret)));
  for (const secret of [sent['state'], sent['nonce'], sent['code_challenge'], loginSecret]) {
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect([row?.text, service.lines.join('')].filter((text) => text?.includes(secret ?? '') !== false)).toEqual([]);
  }
});

test('an email that only the UserInfo endpoint sends is used', async () => {
  const owner = await newOwner();
  become(owner.email);
  provider.emailInUserInfoOnly = true;
  expect((await logIn()).opened?.grant?.accountId).toBe(owner.accountId);
});

test('a login works once, in the browser that began it, within 10 minutes', async () => {
  become((await newOwner()).email);
  const mine = await begin();
  const other = await begin();
  expect(await outcomeOf(finish({ ...mine, loginSecret: other.loginSecret }))).toBe('oidc_expired');
  expect(await outcomeOf(finish({ ...mine, loginSecret: '' }))).toBe('oidc_expired');
  expect(await outcomeOf(finish({ ...mine, loginSecret: 'x'.repeat(43) }))).toBe('oidc_expired');
  expect(await outcomeOf(finish({ ...mine, query: new URLSearchParams() }))).toBe('oidc_expired');
  expect(await outcomeOf(finish(mine))).toBe('done');
  expect(await outcomeOf(finish(mine))).toBe('oidc_expired');
  service.clock.aheadMs += 10 * MINUTE_MS;
  expect(await outcomeOf(finish(other))).toBe('oidc_expired');
});

test('of several callbacks of one login at the same time, one opens a session', async () => {
  become((await newOwner()).email);
  const login = await begin();
  const outcomes = await Promise.all(Array.from({ length: 4 }, () => outcomeOf(finish(login))));
  expect(outcomes.toSorted()).toEqual(['done', 'oidc_expired', 'oidc_expired', 'oidc_expired']);
});

test.each([
  ['another nonce', () => ({ claims: { nonce: 'n'.repeat(43) } })],
  ['another issuer', () => ({ claims: { iss: 'https://issuer.example' } })],
  ['another audience', () => ({ claims: { aud: 'another client' } })],
  ['a time of validity that is over', () => ({ claims: { exp: 1_700_000_000 } })],
  ['a signature of another key', () => ({ key: generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey })],
])('an ID token with %s is refused', async (_fault, forged) => {
  become((await newOwner()).email);
  provider.forged = forged();
  expect(await outcome()).toBe('oidc_denied');
  provider.forged = {};
  expect(await outcome()).toBe('done');
});

test('a callback is refused that names another issuer, has another code or reports an error', async () => {
  become((await newOwner()).email);
  for (const [name, value] of [
    ['iss', 'https://issuer.example'],
    ['code', 'x'.repeat(43)],
  ] as const) {
    const login = await begin();
    login.query.set(name, value);
    expect(await outcomeOf(finish(login))).toBe('oidc_denied');
  }
  provider.rejects = true;
  expect(await outcome()).toBe('oidc_denied');
});

test.each([{ email_verified: false }, { email_verified: 'true' }, {}])(
  'an email with %j is refused, like an unknown one',
  async (claims) => {
    become((await newOwner()).email, claims);
    expect(await outcome()).toBe('oidc_refused');
    become(newEmail());
    expect(await outcome()).toBe('oidc_refused');
  },
);

test('an account whose email is not verified here is not linked', async () => {
  const { email, accountId } = await newOwner();
  await service.sql('UPDATE account SET email_verified_at = NULL WHERE id = $1', [accountId]);
  become(email);
  expect(await outcome()).toBe('oidc_refused');
});

test('an account with a second factor needs its code, so the provider alone does not open it', async () => {
  const { email, session: sessionDigest } = await newOwner();
  const { uri } = await service.accounts.call.beginSecondFactor({ sessionDigest, currentPassword: password, address });
  const totp = URI.parse(uri);
  if (!(totp instanceof TOTP)) throw new Error('the URI is not one of a TOTP');
  const code = totp.generate({ timestamp: Date.now() + service.clock.aheadMs });
  await service.accounts.call.confirmSecondFactor({ sessionDigest, code, address });
  become(email);
  expect(await outcome()).toBe('second_factor_required');
});

test('an account of a disabled tenant gets no session', async () => {
  const { email, tenantId } = await newOwner();
  await service.sql('UPDATE tenant SET disabled = true WHERE id = $1', [tenantId]);
  become(email);
  expect(await outcome()).toBe('oidc_refused');
});

test('a person of an allowed domain joins the tenant with the role read_only, others do not', async () => {
  const { tenantId } = await company();
  const email = newEmail('COMPANY.example');
  become(email);
  const outcomes = await Promise.all([logIn(), logIn()]);
  const [first] = outcomes;
  expect(outcomes.map(({ opened }) => opened?.grant?.accountId)).toEqual(outcomes.map(() => first?.opened?.grant?.accountId));
  expect(first?.opened?.grant).toMatchObject({ tenantId, role: MemberRole.READ_ONLY });
  const joined = (await eventsOf(tenantId)).filter(({ kind }) => kind === 'member_joined');
  expect(joined).toMatchObject([{ accountEmail: email, role: MemberRole.READ_ONLY }]);
  expect(await outcomeOf(service.accounts.call.login({ email, password, address }))).toBe('login_refused');
  for (const domain of ['evil-company.example', 'company.example.evil.example', 'sub.company.example']) {
    become(newEmail(domain));
    expect(await outcome()).toBe('oidc_refused');
  }
});

test('an invitation of the tenant gives its role, and is over then', async () => {
  const { tenantId, session: credentialDigest } = await company();
  const email = newEmail('company.example');
  await service.accounts.call.inviteMember({ tenantId, credentialDigest, address, email, role: MemberRole.MEMBER });
  await mailTo(service.outbox, email, 'You are invited to a Market-State team');
  become(email);
  expect((await logIn()).opened?.grant).toMatchObject({ tenantId, role: MemberRole.MEMBER });
  expect((await service.accounts.call.listInvitations({ tenantId })).invitations).toEqual([]);
});

test('a member whom an owner removed does not come back without an invitation', async () => {
  const { tenantId, session: credentialDigest } = await company();
  const email = newEmail('company.example');
  become(email);
  const { opened } = await logIn();
  const { accountId = '' } = opened?.grant ?? {};
  await service.accounts.call.removeMember({ tenantId, credentialDigest, address, accountId });
  expect((await service.accounts.call.verifySession({ sessionDigest: digestOf(opened) })).grant).toBeUndefined();
  expect(await outcome()).toBe('oidc_refused');
  await service.accounts.call.inviteMember({ tenantId, credentialDigest, address, email, role: MemberRole.READ_ONLY });
  expect(await outcome()).toBe('done');
});

test('failed logins count like those with a password', async () => {
  const login = { loginSecret: 'x'.repeat(43), query: new URLSearchParams() };
  for (let count = 0; count < 20; count += 1) expect(await outcomeOf(finish(login))).toBe('oidc_expired');
  expect(await outcomeOf(finish(login))).toBe('too_many_attempts');
  expect(await outcomeOf(service.accounts.call.login({ email: newEmail(), password, address }))).toBe('too_many_attempts');
});

test('a provider that fails leaves a clear error, and the attempt uncounted', async () => {
  become((await newOwner()).email);
  const login = await begin();
  provider.fault = 'broken';
  expect(await outcomeOf(finish(login))).toBe('oidc_unavailable');
  expect(await service.sql(`SELECT 1 FROM throttle WHERE scope = 'address' AND cardinality(stamps) > 0`)).toEqual([]);
});

test('without a provider there is nothing to sign in with', async () => {
  expect(await service.accounts.call.getSignInOptions({})).toEqual({ oidcName: 'Company login' });
  const plain = await startAccountUnderTest();
  try {
    expect(await plain.accounts.call.getSignInOptions({})).toEqual({ oidcName: '' });
    expect(await outcomeOf(plain.accounts.call.beginOidcLogin({ address }))).toBe('oidc_off');
    expect(await outcomeOf(plain.accounts.call.finishOidcLogin({ loginSecret: '', query: '', address }))).toBe('oidc_off');
  } finally {
    await plain.stop();
  }
});
