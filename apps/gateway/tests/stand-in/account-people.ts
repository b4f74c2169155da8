import { account } from '@market-state/contracts';
import { keyDigest } from '@market-state/credentials';
import { failedPrecondition, invalidArgument, notFound, ServiceError } from '@market-state/errors';
import { bindService } from '@market-state/grpc';
import { type AccountState, STAND_IN_PLAN, STAND_IN_TERMS } from './account-state';
import { standInTeam } from './account-team';

/** Accepted claim token, for the tenant `ten_claimed`. */
export const CLAIM_TOKEN = 'claim-token-of-the-stand-in';

/** Email that must be verified before it claims. */
export const UNVERIFIED_EMAIL = 'unverified@example.com';

/** Reset token accepted once, for the newest account. */
export const RESET_TOKEN = 'reset-token-of-the-stand-in';

/** Accepted in the cookie of a login with the login provider. */
export const OIDC_SECRET = 'o'.repeat(43);

/** Code accepted for every change of an email. */
export const EMAIL_CODE = 'email-code-of-the-stand-in';

/** Code accepted for every second factor. */
export const FACTOR_CODE = '123456';

const RECOVERY_CODES = Array.from({ length: 10 }, (_, index) => `aaaa-bbbb-cccc-ddd${String.fromCodePoint(97 + index)}`);

function refused(reason: 'claim_refused' | 'login_refused' | 'reset_refused' | 'second_factor_required' | 'oidc_expired'): ServiceError {
  return new ServiceError({ code: 'UNAUTHENTICATED', reason, sentence: 'Refused.' });
}

/** The id of a session by its digest. */
export function idOf(digestHex: string): string {
  return `ses_${digestHex.slice(0, 32)}`;
}

/** In-memory AccountService. */
export function standInPeople(state: AccountState, refuseWhenDown: () => void) {
  let resets = 0;
  const withFactor = new Set<string>();

  function changeFactor({ sessionDigest, currentPassword, code }: account.DisableSecondFactorRequest): string {
    const found = state.sessions.get(sessionDigest.toString('hex'))?.account;
    if (found?.password !== currentPassword)
      throw invalidArgument([{ field: 'current_password', message: 'Wrong.', type: 'wrong_password' }]);
    if (code !== FACTOR_CODE) throw invalidArgument([{ field: 'code', message: 'Wrong.', type: 'wrong_code' }]);
    return found.accountId;
  }

  function tenantOfClaim({ apiKey, claimToken }: account.ClaimRequest): string {
    if (apiKey !== '') {
      const stored = state.keys.get(keyDigest(apiKey).toString('hex'));
      if (stored === undefined || stored.record.revokedTsMs !== 0) throw refused('claim_refused');
      return stored.tenantId;
    }
    if (claimToken === CLAIM_TOKEN) return 'ten_claimed';
    if (claimToken !== '') throw refused('claim_refused');
    throw failedPrecondition('trial_not_offered', 'No trials are given here.');
  }

  return bindService(account.AccountServiceService, {
    ...standInTeam(state),
    async claim(request) {
      if (request.email === UNVERIFIED_EMAIL && request.claimToken === '') return { verificationSent: true, mailToFolder: true };
      const tenantId = tenantOfClaim(request);
      if (state.accounts.has(request.email)) throw refused('claim_refused');
      const made = state.addAccount(tenantId, request.email, account.MemberRole.OWNER, request.password);
      return { opened: state.openSession(made), verificationSent: false, mailToFolder: true };
    },
    async login({ email, password, code }) {
      const found = state.accounts.get(email);
      if (found === undefined || found.password !== password) throw refused('login_refused');
      if (withFactor.has(found.accountId) && code === undefined) throw refused('second_factor_required');
      if (withFactor.has(found.accountId) && code !== FACTOR_CODE) throw refused('login_refused');
      return { opened: state.openSession(found) };
    },
    async getSignInOptions() {
      return { oidcName: 'Company login' };
    },
    async beginOidcLogin() {
      return { authorizationUrl: 'https://login.example/auth', loginSecret: OIDC_SECRET, expiresTsMs: state.now() + 600_000 };
    },
    async finishOidcLogin({ loginSecret }) {
      if (loginSecret !== OIDC_SECRET) throw refused('oidc_expired');
      return { opened: state.openSession(state.addAccount('ten_1', 'ada@example.com', account.MemberRole.MEMBER, '')) };
    },
    async logout({ sessionDigest, everywhere }) {
      const own = sessionDigest.toString('hex');
      const owner = state.sessions.get(own)?.account;
      const ended = everywhere ? [...state.sessions].filter(([, { account: of }]) => of === owner).map(([digest]) => digest) : [own];
      ended.forEach(state.endSession);
      return {};
    },
    async endSession({ tenantId, accountId, sessionId }) {
      const isOwn = (of: { readonly tenantId: string; readonly accountId: string }): boolean =>
        of.tenantId === tenantId && (accountId === '' || of.accountId === accountId);
      const [found] = [...state.sessions].find(([digest, { account: of }]) => isOwn(of) && idOf(digest) === sessionId) ?? [];
      if (found === undefined) throw notFound('unknown_session', 'Unknown.');
      state.endSession(found);
      return {};
    },
    async verifySession({ sessionDigest }) {
      refuseWhenDown();
      const found = state.sessions.get(sessionDigest.toString('hex'));
      if (found === undefined || found.expiresTsMs <= state.now()) return {};
      const { expiresTsMs } = found;
      const { accountId, tenantId, role } = found.account;
      return { grant: { accountId, tenantId, plan: STAND_IN_PLAN, expiresTsMs, idleTsMs: expiresTsMs, role } };
    },
    async requestPasswordReset() {
      return { mailToFolder: true };
    },
    async confirmPasswordReset({ resetToken, newPassword }) {
      const found = [...state.accounts.values()].at(-1);
      if (found === undefined || resetToken !== RESET_TOKEN || resets > 0) throw refused('reset_refused');
      resets += 1;
      found.password = newPassword;
      const sessions = [...state.sessions].filter(([, session]) => session.account === found);
      for (const [digestHex] of sessions) state.endSession(digestHex);
      const keys = [...state.keys.values()].filter(({ tenantId }) => tenantId === found.tenantId);
      return {
        revokedKeys: keys.map(({ record }) => record),
        endedSessionCount: sessions.length,
        closedAccountEmails: [],
        movedToTenantId: '',
      };
    },
    async requestEmailChange({ currentPassword, sessionDigest }) {
      if (state.sessions.get(sessionDigest.toString('hex'))?.account.password !== currentPassword)
        throw invalidArgument([{ field: 'current_password', message: 'Wrong.', type: 'wrong_password' }]);
      return { mailToFolder: true };
    },
    async confirmEmailChange({ code, sessionDigest }) {
      const own = sessionDigest.toString('hex');
      const found = state.sessions.get(own)?.account;
      if (found === undefined || code !== EMAIL_CODE) throw invalidArgument([{ field: 'code', message: 'Wrong.', type: 'wrong_code' }]);
      const others = [...state.sessions].filter(([digest, session]) => session.account === found && digest !== own);
      for (const [digestHex] of others) state.endSession(digestHex);
      return { email: 'changed@example.com', endedSessionCount: others.length };
    },
    async beginSecondFactor(request) {
      changeFactor({ ...request, code: FACTOR_CODE });
      return { secret: 'NB2W45DFOIZA4YLTMFUWY3DPMNSXG5DS', uri: 'otpauth://totp/Market-State:a?secret=NB2W45DFOIZA4YLTMFUWY3DPMNSXG5DS' };
    },
    async confirmSecondFactor({ sessionDigest, code }) {
      const found = state.sessions.get(sessionDigest.toString('hex'))?.account;
      withFactor.add(changeFactor({ sessionDigest, code, currentPassword: found?.password ?? '', address: '' }));
      return { recoveryCodes: RECOVERY_CODES, endedSessionCount: 0 };
    },
    async disableSecondFactor(request) {
      withFactor.delete(changeFactor(request));
      return {};
    },
    async createRecoveryCodes(request) {
      changeFactor(request);
      return { recoveryCodes: RECOVERY_CODES };
    },
    listAccountEvents: async ({ tenantId }) => ({
      events: state.events.filter((event) => event.tenantId === tenantId).toReversed(),
      nextCursor: '',
    }),
    async recordDestinationEvent({ tenantId, accountId, keyId, kind, subjectId, address }) {
      const eventId = `evn_${state.events.length + 1}`;
      const emails = { accountEmail: '', subjectEmail: '', role: account.MemberRole.UNSPECIFIED, method: '' };
      state.events.push({ tenantId, eventId, accountId, keyId, kind, subjectId, address, createdTsMs: state.now(), ...emails });
      return {};
    },
    async getTenantStanding({ tenantId }) {
      refuseWhenDown();
      return { disabled: state.disabledTenants.has(tenantId) };
    },
    async getMe({ tenantId, accountId }) {
      const found = [...state.accounts.values()].find((candidate) => candidate.accountId === accountId);
      return {
        tenantId,
        tenantName: `Tenant ${tenantId}`,
        plan: STAND_IN_PLAN,
        planRenewsTsMs: 0,
        accountId,
        email: found?.email ?? '',
        accountCreatedTsMs: found === undefined ? 0 : state.now(),
        emailVerified: false,
        secondFactorEnabled: withFactor.has(accountId),
        role: found?.role ?? account.MemberRole.UNSPECIFIED,
        terms: STAND_IN_TERMS,
        sessions: [...state.sessions]
          .flatMap(([digest, { account: of, expiresTsMs }]) =>
            of === found && found !== undefined
              ? [
                  {
                    sessionId: idOf(digest),
                    sessionDigest: Buffer.from(digest, 'hex'),
                    createdTsMs: state.now(),
                    lastUsedTsMs: state.now(),
                    expiresTsMs,
                  },
                ]
              : [],
          )
          .slice(-10),
      };
    },
  });
}
