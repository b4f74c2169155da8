import { ConflictError, type MarketState, NotFoundError, type OperationId, UnauthorizedError } from '../src';
import type { Example } from './example';

const PASSWORD = 'five green lamps over water';

/** Claims an account for the tenant of the client's key; without a key, a claim opens a trial. */
async function newAccount(ms: MarketState, email: string): Promise<string> {
  const { data } = await ms.keys.create({ name: email, scopes: ['read', 'account'] });
  await ms.account.claim({ email, password: PASSWORD, api_key: data.key });
  await ms.keys.revoke({ key_id: data.record.key_id });
  return email;
}

/** Creates a key that may spend 500 credits a day, and revokes it afterwards. */
async function withKey<T>(ms: MarketState, work: (keyId: string) => Promise<T>): Promise<T> {
  const { data } = await ms.keys.create({
    name: 'notebook',
    scopes: ['read'],
    credit_ceiling: { credits: 500, window_seconds: 86_400 },
  });
  const result = await work(data.record.key_id);
  await ms.keys.revoke({ key_id: data.record.key_id });
  return result;
}

/** Invites a read-only member, and withdraws the invitation afterwards. */
async function invited<T>(ms: MarketState, email: string, work: () => Promise<T>): Promise<T> {
  const { data } = await ms.team.invite({ email, role: 'read_only' });
  const result = await work();
  await ms.team.withdrawInvitation({ invitation_id: data.invitation.invitation_id });
  return result;
}

/** Adds a second owner, and removes them afterwards. */
async function withMember<T>(ms: MarketState, email: string, work: (accountId: string) => Promise<T>): Promise<T> {
  await newAccount(ms, `owner-${email}`);
  await newAccount(ms, email);
  const { data } = await ms.team.members();
  const accountId = data.rows.find((member) => member.email === email)?.account_id ?? '';
  const result = await work(accountId);
  await ms.team.removeMember({ account_id: accountId });
  return result;
}

async function refusedWithKey(call: Promise<unknown>): Promise<string> {
  const refused = await call.catch((error: unknown) => error);
  if (refused instanceof ConflictError) return refused.code;
  throw refused;
}

export const accountExamples = {
  claimAccount: (ms, { newEmail }) => newAccount(ms, newEmail()),
  logIn: async (ms, { newEmail }) => {
    const email = await newAccount(ms, newEmail());
    return ms.account.logIn({ email, password: PASSWORD });
  },
  // Only a browser can use the login provider, if this installation has one.
  beginOidcLogin: async (ms) => {
    const { oidc } = (await ms.account.signInOptions()).data;
    return oidc === null ? null : ms.account.beginOidcLogin();
  },
  finishOidcLogin: async (ms) => {
    const refused = await ms.account.finishOidcLogin({ query: 'code=x&state=x' }).catch((error: unknown) => error);
    if (refused instanceof UnauthorizedError || refused instanceof ConflictError) return refused.code;
    throw refused;
  },
  logOut: (ms) => ms.account.logOut(),
  // `me` lists the ids of sessions to a session.
  endSession: async (ms) => {
    const refused = await ms.account.endSession({ session_id: 'ses_0' }).catch((error: unknown) => error);
    if (refused instanceof NotFoundError) return refused.code;
    throw refused;
  },
  requestPasswordReset: (ms, { newEmail }) => ms.account.requestPasswordReset({ email: newEmail() }),
  confirmPasswordReset: async (ms, { newEmail, resetToken }) => {
    const email = await newAccount(ms, newEmail());
    await ms.account.requestPasswordReset({ email });
    return ms.account.confirmPasswordReset({ reset_token: await resetToken(email), new_password: `${PASSWORD} again` });
  },
  // Only a browser session can change its account's email: a key is refused.
  requestEmailChange: (ms, { newEmail }) =>
    refusedWithKey(ms.account.requestEmailChange({ new_email: newEmail(), current_password: PASSWORD })),
  confirmEmailChange: (ms) => refusedWithKey(ms.account.confirmEmailChange({ code: 'x'.repeat(43) })),
  beginSecondFactor: (ms) => refusedWithKey(ms.account.beginSecondFactor({ current_password: PASSWORD })),
  confirmSecondFactor: (ms) => refusedWithKey(ms.account.confirmSecondFactor({ code: '123456' })),
  disableSecondFactor: (ms) => refusedWithKey(ms.account.disableSecondFactor({ current_password: PASSWORD, code: '123456' })),
  createRecoveryCodes: (ms) => refusedWithKey(ms.account.createRecoveryCodes({ current_password: PASSWORD, code: '123456' })),
  listAuditLog: (ms) => ms.account.auditLogRows().take(10),
  listMembers: (ms) => ms.team.members(),
  createInvitation: (ms, { newEmail }) => invited(ms, newEmail(), () => Promise.resolve()),
  listInvitations: (ms, { newEmail }) => invited(ms, newEmail(), () => ms.team.invitations()),
  withdrawInvitation: (ms, { newEmail }) => invited(ms, newEmail(), () => Promise.resolve()),
  // The token is in the email, and works once.
  acceptInvitation: async (ms) => {
    const refused = await ms.team
      .acceptInvitation({ invitation_token: 'x'.repeat(43), password: PASSWORD })
      .catch((error: unknown) => error);
    if (refused instanceof UnauthorizedError) return refused.code;
    throw refused;
  },
  updateMember: (ms, { newEmail }) =>
    withMember(ms, newEmail(), (accountId) => ms.team.updateMember({ account_id: accountId, role: 'member' })),
  removeMember: (ms, { newEmail }) => withMember(ms, newEmail(), () => Promise.resolve()),
  leaveTeam: (ms) => refusedWithKey(ms.team.leave()),
  createSandboxKey: (ms) => ms.account.createSandboxKey(),
  getMe: (ms) => ms.account.me(),
  listKeys: (ms) => ms.keys.rows().take(10),
  createKey: (ms) => withKey(ms, (keyId) => Promise.resolve(keyId)),
  updateKey: (ms) => withKey(ms, (keyId) => ms.keys.update({ key_id: keyId, name: 'notebook 2', credit_ceiling: null })),
  revokeKey: (ms) => withKey(ms, () => Promise.resolve()),
  getSpendControls: (ms) => ms.spendControls.get(),
  setSpendControls: async (ms) => {
    const { monthly_credit_cap, daily_credit_cap, per_call_credit_ceiling, export_credit_cap } = (await ms.spendControls.get()).data;
    return ms.spendControls.set({ monthly_credit_cap, daily_credit_cap, per_call_credit_ceiling, export_credit_cap });
  },
  openBillingPortal: (ms) => ms.billing.openPortal(),
  createCheckoutSession: (ms) => ms.billing.checkout({ plan_id: 'topup' }),
  listInvoices: (ms) => ms.billing.invoicesRows().take(10),
  listOrders: (ms) => ms.billing.ordersRows().take(10),
  // Only the payment provider calls this: unsigned events are rejected, as is everything if there is no provider.
  receiveBillingEvent: async (ms) => {
    const refused = await ms.billing.receiveEvent({}, { headers: { 'stripe-signature': 't=1,v1=0' } }).catch((error: unknown) => error);
    if (refused instanceof UnauthorizedError || refused instanceof ConflictError) return refused.code;
    throw refused;
  },
} satisfies Partial<Record<OperationId, Example>>;
