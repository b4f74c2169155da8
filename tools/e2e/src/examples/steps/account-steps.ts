import { createHmac, randomBytes } from 'node:crypto';
import { account } from '@market-state/contracts';
import { timeLimit } from '@market-state/lifecycle';
import { operatorOf, type TestOidcProvider } from '@market-state/testing';
import { URI } from 'otpauth';
import { type Answer, cookieOf } from '../../system/api';
import { newPassword, type Scene } from '../scene';
import type { Step } from '../step';

const SECRET = randomBytes(24).toString('hex');

/** Settings of a system with Stripe as its payment provider, as far as its events are concerned. */
export const STRIPE_SETTINGS = { STRIPE_SECRET_KEY: `sk_test_${SECRET}`, STRIPE_WEBHOOK_SECRET: SECRET };

export const billingEventSteps: readonly Step[] = [
  {
    operation: 'receiveBillingEvent',
    summary: 'An event with a valid signature.',
    as: 'anonymous',
    body: () => ({ id: 'evt_1', object: 'event', type: 'customer.created', created: Math.floor(Date.now() / 1_000), data: { object: {} } }),
    headers: (_scene, body) => ({ 'stripe-signature': signatureOf(body) }),
  },
];

function signatureOf(body: string): string {
  const second = Math.floor(Date.now() / 1_000);
  return `t=${second},v1=${createHmac('sha256', SECRET).update(`${second}.${body}`).digest('hex')}`;
}

/** Tenant that people without an account join. */
const OIDC_TENANT = 'northwind';

/** Settings of a system with this login provider. */
export function oidcSettings({ issuer, clientId, clientSecret }: TestOidcProvider) {
  return {
    PUBLIC_BASE_URL: OIDC_SITE,
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
    OIDC_NAME: 'Company login',
    OIDC_ALLOWED_DOMAINS: 'example.org',
    OIDC_TENANT,
  };
}

/** The provider's client returns browsers there. Nothing has to answer: the recorder only reads the address. */
const OIDC_SITE = 'https://market-state.example';
export const OIDC_REDIRECT = `${OIDC_SITE}/login`;

export function oidcSteps({ logIn }: Pick<TestOidcProvider, 'logIn'>): readonly Step[] {
  return [
    { operation: 'getSignInOptions', summary: 'An installation with a login provider.', as: 'anonymous' },
    {
      operation: 'beginOidcLogin',
      summary: "Address of the login provider's page.",
      as: 'anonymous',
      after({ things }, answer) {
        things.set('authorization_url', String(answer.body['authorization_url']));
        things.set('oidc_cookie', cookieOf(answer)['cookie'] ?? '');
      },
    },
    {
      operation: 'finishOidcLogin',
      summary: 'A session, whose cookie is in the `Set-Cookie` header.',
      as: 'anonymous',
      async before(scene) {
        await operatorOf(scene.system).call.ensureTenant({ name: OIDC_TENANT, planId: 'public_pro', renewal: account.Renewal.MONTHLY });
        const { search } = await logIn(scene.thing('authorization_url'));
        scene.things.set('oidc_query', search.slice(1));
      },
      headers: (scene) => ({ cookie: scene.thing('oidc_cookie') }),
      body: (scene) => ({ query: scene.thing('oidc_query') }),
    },
  ];
}

const PORTAL = '/account';
const ACCOUNT = '/api/public/market-state/account';

async function otherSession({ system, asSession }: Scene): Promise<string> {
  const me = await fetch(`${system.url}${ACCOUNT}/me`, { headers: asSession, signal: timeLimit(10_000) });
  const { sessions } = (await me.json()) as { readonly sessions: readonly { readonly session_id: string; readonly current: boolean }[] };
  return sessions.find(({ current }) => !current)?.session_id ?? '';
}

const RECOVERY_CODES = { recovery_codes: 10 };

/** Single-use recovery codes from a response. */
function takeRecoveryCodes({ things }: Scene, { body }: Answer): void {
  const { recovery_codes: codes } = body as { readonly recovery_codes: readonly string[] };
  things.set('recovery_code', codes[0] ?? '');
}

const secondFactorSteps: readonly Step[] = [
  {
    operation: 'beginSecondFactor',
    summary: 'A secret for an authenticator app.',
    as: 'session',
    body: ({ password }) => ({ current_password: password }),
    after: ({ things }, { body }) => void things.set('otpauth_uri', (body as { readonly otpauth_uri: string }).otpauth_uri),
  },
  {
    operation: 'confirmSecondFactor',
    summary: 'Two-factor authentication is on; earlier sessions were ended.',
    as: 'session',
    body: (scene) => ({ code: URI.parse(scene.thing('otpauth_uri')).generate() }),
    lists: RECOVERY_CODES,
    after: takeRecoveryCodes,
  },
  {
    operation: 'createRecoveryCodes',
    summary: 'New recovery codes.',
    as: 'session',
    body: (scene) => ({ current_password: scene.password, code: scene.thing('recovery_code') }),
    lists: RECOVERY_CODES,
    after: takeRecoveryCodes,
  },
  {
    operation: 'disableSecondFactor',
    summary: 'Two-factor authentication is off.',
    as: 'session',
    body: (scene) => ({ current_password: scene.password, code: scene.thing('recovery_code') }),
  },
];

const teamSteps: readonly Step[] = [
  {
    operation: 'createInvitation',
    summary: 'A mailed invitation.',
    as: 'session',
    body: ({ email }) => ({ email: `lin.${email}`, role: 'read_only' }),
    after: ({ things }, { body }) =>
      void things.set('invitation_id', (body['invitation'] as { readonly invitation_id: string }).invitation_id),
  },
  { operation: 'listInvitations', summary: 'A pending invitation.', as: 'session' },
  {
    operation: 'acceptInvitation',
    summary: 'A session of the new account, whose cookie is in the `Set-Cookie` header.',
    as: 'anonymous',
    async before(scene) {
      scene.things.set('invitation_token', await scene.mailedToken('invitation_token'));
    },
    body: (scene) => ({ invitation_token: scene.thing('invitation_token'), password: newPassword() }),
    after({ things }, answer) {
      things.set('account_id', String(answer.body['account_id']));
      things.set('member_cookie', cookieOf(answer)['cookie'] ?? '');
    },
  },
  { operation: 'listMembers', summary: 'Two members of a team.', as: 'session' },
  { operation: 'updateMember', summary: 'A member with a new role.', as: 'session', body: () => ({ role: 'member' }) },
  {
    operation: 'leaveTeam',
    summary: 'An account that left its team.',
    as: 'anonymous',
    headers: (scene) => ({ cookie: scene.thing('member_cookie'), origin: scene.system.url, 'content-type': 'application/json' }),
  },
  {
    operation: 'removeMember',
    summary: 'A removed member.',
    as: 'session',
    async before(scene) {
      const { key } = await scene.call('POST', `${ACCOUNT}/keys`, { name: 'Lin', scopes: ['account'] });
      const claim = { email: `max.${scene.email}`, password: newPassword(), api_key: key };
      scene.things.set('account_id', String((await scene.call('POST', `${ACCOUNT}/auth/claim`, claim))['account_id']));
    },
  },
  {
    operation: 'withdrawInvitation',
    summary: 'A withdrawn invitation.',
    as: 'session',
    async before(scene) {
      const { invitation } = await scene.call('POST', `${ACCOUNT}/invitations`, { email: `lin.${scene.email}`, role: 'member' });
      scene.things.set('invitation_id', (invitation as { readonly invitation_id: string }).invitation_id);
    },
  },
];

export const sessionSteps: readonly Step[] = [
  {
    operation: 'claimAccount',
    summary: 'An account bound to the tenant of a key.',
    as: 'anonymous',
    body: ({ email, password, key }) => ({ email, password, api_key: key }),
  },
  {
    operation: 'requestPasswordReset',
    summary: 'The same response whether or not the account exists.',
    as: 'anonymous',
    body: ({ email }) => ({ email }),
  },
  {
    operation: 'confirmPasswordReset',
    summary: 'A new password; earlier sessions were ended.',
    as: 'anonymous',
    async before(scene) {
      scene.things.set('reset_token', await scene.mailedToken('reset_token'));
      scene.password = newPassword();
    },
    body: (scene) => ({ reset_token: scene.thing('reset_token'), new_password: scene.password }),
  },
  {
    operation: 'logIn',
    summary: 'A session, whose cookie is in the `Set-Cookie` header.',
    as: 'anonymous',
    body: ({ email, password }) => ({ email, password }),
    after: (scene, answer) => scene.takeSession(answer),
  },
  {
    operation: 'requestEmailChange',
    summary: 'The same response whether or not the new email has an account.',
    as: 'session',
    body: ({ email, password }) => ({ new_email: `new.${email}`, current_password: password }),
  },
  {
    operation: 'confirmEmailChange',
    summary: 'A new email; earlier sessions were ended.',
    as: 'session',
    async before(scene) {
      scene.things.set('email_code', await scene.mailedToken('email_code'));
      scene.email = `new.${scene.email}`;
    },
    body: (scene) => ({ code: scene.thing('email_code') }),
  },
  ...secondFactorSteps,
  ...teamSteps,
  { operation: 'getMe', summary: 'Permissions of a key.' },
  { operation: 'listAuditLog', summary: 'The newest two actions.', query: () => ({ limit: '2' }) },
  {
    operation: 'endSession',
    summary: 'A session that was ended from another browser.',
    as: 'session',
    async before(scene) {
      await scene.call('POST', `${ACCOUNT}/auth/login`, { email: scene.email, password: scene.password });
      scene.things.set('session_id', await otherSession(scene));
    },
  },
];

export const keySteps: readonly Step[] = [
  {
    operation: 'createKey',
    summary: 'A new key limited to 5,000 credits a day and 300 calls a minute. Most of the key is replaced by zeros.',
    body: () => ({
      name: 'Dashboard',
      scopes: ['read'],
      credit_ceiling: { credits: 5_000, window_seconds: 86_400 },
      rate_limit: { calls_per_minute: 300 },
    }),
    after: rememberKey,
  },
  {
    operation: 'updateKey',
    summary: 'A renamed key.',
    body: () => ({ name: 'Dashboard, second floor' }),
  },
  {
    operation: 'updateKey',
    variant: 'rotated',
    summary: 'The successor of a key that ends in an hour. Most of it is replaced by zeros.',
    body: () => ({ rotate: true, overlap_seconds: 3_600 }),
    after: rememberKey,
  },
  { operation: 'listKeys', summary: 'The newest two keys.', query: () => ({ limit: 2 }) },
  { operation: 'revokeKey', summary: 'A revoked key.' },
  { operation: 'createSandboxKey', summary: 'A sandbox key. Most of it is replaced by zeros.', as: 'anonymous' },
];

export const billingSteps: readonly Step[] = [
  {
    operation: 'createCheckoutSession',
    summary: 'A credit order with the offline billing provider.',
    body: () => ({ plan_id: 'topup', contact_reference: 'PO-1042' }),
    after: (scene, { body }) => void scene.things.set('order_id', String(body['order_id'])),
  },
  { operation: 'listOrders', summary: 'Order that waits for its payment.', query: () => ({ limit: 2 }) },
  {
    operation: 'listInvoices',
    summary: 'Invoice of an approved order.',
    before: (scene) => scene.approveOrder(),
    query: () => ({ limit: 2 }),
  },
  { operation: 'openBillingPortal', summary: 'Address of the billing portal.', body: () => ({ return_url: PORTAL }) },
];

export const lastAccountSteps: readonly Step[] = [
  {
    operation: 'setSpendControls',
    summary: 'Monthly and per-call limits; no daily or export limit.',
    body: () => ({ monthly_credit_cap: 20_000, daily_credit_cap: null, per_call_credit_ceiling: 50, export_credit_cap: null }),
  },
  { operation: 'getSpendControls', summary: 'Monthly and per-call limits; no daily or export limit.' },
  { operation: 'logOut', summary: 'The session was ended.', as: 'session' },
];

function rememberKey(scene: Scene, { body }: { readonly body: Readonly<Record<string, unknown>> }): void {
  scene.things.set('key_id', (body['record'] as { readonly key_id: string }).key_id);
}
