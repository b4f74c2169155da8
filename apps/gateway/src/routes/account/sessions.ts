import { account } from '@market-state/contracts';
import { secretDigest } from '@market-state/credentials';
import { internal } from '@market-state/errors';
import { accountAnswer, rowsPage } from '../../serving/answers/account-answer';
import { type CallContext, grantOf, type Handler, type Reply } from '../../serving/answers/handler';
import { showBalances, showPlan } from '../../serving/answers/show-billing';
import { fromProtoRole, SCOPES } from '../../serving/auth/credentials';
import { toUtc } from '../../serving/meta/meta';
import { type Described, documentedWord, type WithoutMeta } from '../../serving/openapi/document';
import { type AccountDeps, fromAccount, OIDC_COOKIE, type SessionCookie, sessionDigestOf } from './account-deps';
import { showKey } from './keys';

/** Response that opens a session. Only the cookie carries the session secret. */
export function withSession<T extends object>(
  call: CallContext,
  cookie: SessionCookie,
  opened: account.SessionOpened | undefined,
  further: T,
): Reply<T & Described<'AccountSession'>> {
  const { grant, terms, session = '' } = opened ?? {};
  if (grant === undefined || session === '') throw internal({ detail: 'account opened a session without returning it' });
  const fields = {
    ...further,
    account_id: grant.accountId,
    tenant_id: grant.tenantId,
    plan: showPlan(grant.plan, terms),
    session_expires_utc: toUtc(grant.expiresTsMs),
    session_idle_until_utc: toUtc(grant.idleTsMs),
  };
  const answer = accountAnswer(call, fields, 'Session opened.');
  return { ...answer, headers: { 'Set-Cookie': cookie.set(session, grant.expiresTsMs) } };
}

export const mailDelivery = (toFolder: boolean) => (toFolder ? 'outbox_folder' : 'mail_server');

export function claimAccount({ signIn, cookie }: AccountDeps): Handler<'claimAccount'> {
  return async (call) => {
    const { email, password, api_key, claim_token } = call.input.body;
    const { opened, verificationSent, mailToFolder } = await fromAccount(
      signIn.call.claim({ email, password, apiKey: api_key, claimToken: claim_token, address: call.address() }),
    );
    if (!verificationSent) return withSession(call, cookie, opened, { verification_sent: false });
    return accountAnswer(
      call,
      { verification_sent: true, mail_delivery: mailDelivery(mailToFolder) },
      mailToFolder
        ? 'This installation has no mail server: the email is in its outbox folder. Follow the link in it to continue.'
        : 'An email is on its way to this address. Follow the link in it to continue.',
    );
  };
}

export function logIn({ signIn, cookie }: AccountDeps): Handler<'logIn'> {
  return async (call) => {
    const { email, password, code } = call.input.body;
    const { opened } = await fromAccount(signIn.call.login({ email, password, code, address: call.address() }));
    return withSession(call, cookie, opened, {});
  };
}

/** Ends the calling session, or all sessions of its account. Does not revoke API keys. */
export function logOut({ people, cookie }: AccountDeps): Handler<'logOut'> {
  return async (call) => {
    const session = call.credential?.kind === 'session' ? call.credential.secret : null;
    const { everywhere } = call.input.query;
    if (session !== null) await people.call.logout({ sessionDigest: secretDigest(session), everywhere });
    const answer = accountAnswer(
      call,
      { session_ended: session !== null },
      session === null
        ? 'API keys have no session to end. Revoke the key instead.'
        : everywhere
          ? 'All sessions of the account ended.'
          : 'Session ended.',
    );
    return { ...answer, headers: { 'Set-Cookie': cookie.clear() } };
  };
}

export function endSession({ people }: AccountDeps): Handler<'endSession'> {
  return async (call) => {
    const sessionId = call.input.path.session_id;
    const { tenantId, accountId } = grantOf(call);
    await fromAccount(people.call.endSession({ tenantId, accountId: accountId ?? '', sessionId }));
    return accountAnswer(call, { session_id: sessionId, ended: true }, 'Session ended.');
  };
}

const actionNamed = documentedWord('AuditEntry', 'action');
const methodNamed = documentedWord('AuditEntry', 'method');

export function listAuditLog({ people }: AccountDeps): Handler<'listAuditLog'> {
  return async (call) => {
    const { limit, cursor } = call.input.query;
    const page = await fromAccount(people.call.listAccountEvents({ tenantId: grantOf(call).tenantId, limit, cursor }));
    const rows = page.events.map(
      (event): Described<'AuditEntry'> => ({
        event_id: event.eventId,
        action: actionNamed(event.kind),
        at_utc: toUtc(event.createdTsMs),
        account_id: event.accountId || null,
        key_id: event.keyId || null,
        subject_id: event.subjectId || null,
        address: event.address || null,
        account_email: event.accountEmail || null,
        subject_email: event.subjectEmail || null,
        role: event.role === account.MemberRole.UNSPECIFIED ? null : fromProtoRole(event.role),
        method: event.method === '' ? null : methodNamed(event.method),
      }),
    );
    return accountAnswer(call, rowsPage(rows, page.nextCursor), 'Account actions of this tenant, newest first.');
  };
}

export function getMe({ people, credits, meter }: AccountDeps): Handler<'getMe'> {
  return async (call) => {
    const grant = grantOf(call);
    const own = call.credential?.kind === 'session' ? Buffer.from(secretDigest(call.credential.secret)) : null;
    const { tenantId } = grant;
    await meter.posted(tenantId);
    const [me, { balances }] = await Promise.all([
      people.call.getMe({ tenantId, accountId: grant.accountId ?? '' }),
      credits.call.getBalances({ tenantId }),
    ]);
    const fields: WithoutMeta<'Me'> = {
      credential: grant.kind === 'key' ? 'api_key' : 'account_session',
      key_id: grant.keyId,
      sandbox: grant.sandbox,
      scopes: SCOPES.filter((scope) => grant.scopes.has(scope)),
      expires_utc: Number.isFinite(grant.expiresMs) ? toUtc(grant.expiresMs) : null,
      tenant: { tenant_id: me.tenantId, name: me.tenantName },
      plan: showPlan(me.plan, me.terms),
      balances: showBalances(balances),
      account:
        me.accountId === ''
          ? null
          : {
              account_id: me.accountId,
              email: me.email,
              email_verified: me.emailVerified,
              created_utc: toUtc(me.accountCreatedTsMs),
              second_factor_enabled: me.secondFactorEnabled,
              role: fromProtoRole(me.role),
            },
      sessions: me.sessions.map(({ sessionId, sessionDigest, createdTsMs, lastUsedTsMs, expiresTsMs }) => ({
        session_id: sessionId,
        created_utc: toUtc(createdTsMs),
        last_used_utc: toUtc(lastUsedTsMs),
        expires_utc: toUtc(expiresTsMs),
        current: own !== null && own.equals(sessionDigest),
      })),
    };
    return accountAnswer(call, fields, grant.kind === 'key' ? 'Authenticated by API key.' : 'Authenticated by session.');
  };
}

export function requestEmailChange({ signIn }: AccountDeps): Handler<'requestEmailChange'> {
  return async (call) => {
    const { new_email: newEmail, current_password: currentPassword } = call.input.body;
    const { mailToFolder } = await fromAccount(
      signIn.call.requestEmailChange({ sessionDigest: sessionDigestOf(call), newEmail, currentPassword, address: call.address() }),
    );
    return accountAnswer(
      call,
      { accepted: true, mail_delivery: mailDelivery(mailToFolder) },
      mailToFolder
        ? 'This installation has no mail server: the email is in its outbox folder. Confirm the change with the code in it.'
        : 'An email is on its way to the new address. Confirm the change with the code in it.',
    );
  };
}

export function confirmEmailChange({ people }: AccountDeps): Handler<'confirmEmailChange'> {
  return async (call) => {
    const { code } = call.input.body;
    const { email, endedSessionCount } = await fromAccount(
      people.call.confirmEmailChange({ sessionDigest: sessionDigestOf(call), code, address: call.address() }),
    );
    return accountAnswer(
      call,
      { email, ended_session_total: endedSessionCount },
      'Email changed. The other sessions of the account ended.',
    );
  };
}

export function requestPasswordReset({ people }: AccountDeps): Handler<'requestPasswordReset'> {
  return async (call) => {
    const { email } = call.input.body;
    const { mailToFolder } = await fromAccount(people.call.requestPasswordReset({ email, address: call.address() }));
    return accountAnswer(
      call,
      { accepted: true, mail_delivery: mailDelivery(mailToFolder) },
      mailToFolder
        ? 'If an account has this address, its email is in the outbox folder: this installation has no mail server.'
        : 'If an account has this address, an email is on its way to it.',
    );
  };
}

export function confirmPasswordReset({ signIn, cookie, now }: AccountDeps): Handler<'confirmPasswordReset'> {
  return async (call) => {
    const { reset_token, new_password } = call.input.body;
    const done = await fromAccount(
      signIn.call.confirmPasswordReset({ resetToken: reset_token, newPassword: new_password, address: call.address() }),
    );
    const fields: WithoutMeta<'PasswordChanged'> = {
      password_changed: true,
      ended_session_total: done.endedSessionCount,
      revoked_keys: done.revokedKeys.map((record) => showKey(record, now())),
      closed_accounts: done.closedAccountEmails,
      moved_to_tenant_id: done.movedToTenantId || null,
    };
    const answer = accountAnswer(
      call,
      fields,
      `Password set. All sessions of the account ended; log in with the new password.${toReverted(fields)}`,
    );
    return { ...answer, headers: { 'Set-Cookie': cookie.clear() } };
  };
}

/** Describes the effect on resources created before the email address was verified. */
function toReverted({ revoked_keys, closed_accounts, moved_to_tenant_id }: WithoutMeta<'PasswordChanged'>): string {
  if (moved_to_tenant_id !== null) return ' The former trial now belongs to another account; this account has its own empty tenant.';
  if (revoked_keys.length + closed_accounts.length === 0) return '';
  return ' The listed keys and accounts were created before this email address was verified and no longer work.';
}

export function getSignInOptions({ people }: AccountDeps): Handler<'getSignInOptions'> {
  return async (call) => {
    const { oidcName: name } = await people.call.getSignInOptions({});
    const isOn = name !== '';
    return accountAnswer(call, { oidc: isOn ? { name } : null }, isOn ? 'A login provider is set.' : 'There is no login provider.');
  };
}

export function beginOidcLogin({ oidc, cookie }: AccountDeps): Handler<'beginOidcLogin'> {
  return async (call) => {
    const started = await fromAccount(oidc.call.beginOidcLogin({ address: call.address() }));
    const fields = { authorization_url: started.authorizationUrl, expires_utc: toUtc(started.expiresTsMs) };
    const answer = accountAnswer(call, fields, 'Go to the login provider.');
    return { ...answer, headers: { 'Set-Cookie': cookie.setOidcLogin(started.loginSecret, started.expiresTsMs) } };
  };
}

export function finishOidcLogin({ oidc, cookie }: AccountDeps): Handler<'finishOidcLogin'> {
  return async (call) => {
    const { query } = call.input.body;
    const loginSecret = call.cookie(OIDC_COOKIE) ?? '';
    const { opened } = await fromAccount(oidc.call.finishOidcLogin({ loginSecret, query, address: call.address() }));
    return withSession(call, cookie, opened, {});
  };
}

export function beginSecondFactor({ signIn }: AccountDeps): Handler<'beginSecondFactor'> {
  return async (call) => {
    const { secret, uri } = await fromAccount(
      signIn.call.beginSecondFactor({
        sessionDigest: sessionDigestOf(call),
        currentPassword: call.input.body.current_password,
        address: call.address(),
      }),
    );
    return accountAnswer(
      call,
      { secret, otpauth_uri: uri },
      'Add the secret to an authenticator app and confirm it with a code. It is not shown again.',
    );
  };
}

export function confirmSecondFactor({ people }: AccountDeps): Handler<'confirmSecondFactor'> {
  return async (call) => {
    const { recoveryCodes, endedSessionCount } = await fromAccount(
      people.call.confirmSecondFactor({ sessionDigest: sessionDigestOf(call), code: call.input.body.code, address: call.address() }),
    );
    return accountAnswer(
      call,
      { recovery_codes: recoveryCodes, ended_session_total: endedSessionCount },
      'Two-factor authentication is on. Store the recovery codes safely: they are not shown again.',
    );
  };
}

export function disableSecondFactor({ signIn }: AccountDeps): Handler<'disableSecondFactor'> {
  return async (call) => {
    await fromAccount(signIn.call.disableSecondFactor(changeOf(call, call.input.body)));
    return accountAnswer(call, { second_factor_enabled: false as const }, 'Two-factor authentication is off.');
  };
}

export function createRecoveryCodes({ signIn }: AccountDeps): Handler<'createRecoveryCodes'> {
  return async (call) => {
    const { recoveryCodes } = await fromAccount(signIn.call.createRecoveryCodes(changeOf(call, call.input.body)));
    return accountAnswer(
      call,
      { recovery_codes: recoveryCodes },
      'Store the recovery codes safely: they are not shown again. Earlier ones no longer work.',
    );
  };
}

function changeOf(
  call: CallContext,
  { current_password: currentPassword, code }: { readonly current_password: string; readonly code: string },
) {
  return { sessionDigest: sessionDigestOf(call), currentPassword, code, address: call.address() };
}
