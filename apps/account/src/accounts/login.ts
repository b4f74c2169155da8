import { isServiceError, type ServiceError, unauthenticated } from '@market-state/errors';
import { inTransaction, type Queryable } from '@market-state/postgres';
import { writeAccountEvent } from '../store/account-events';
import { findAccountByEmail, replacePassword } from '../store/accounts';
import type { AccountsDeps, OpenedSession } from './deps';
import { accountDigests, emailDigest } from './email';
import { passSecondFactor } from './second-factor';
import { openAccountSession } from './sessions';
import type { PasswordCaller } from './password-work';
import { isOutdated } from './passwords';
import { type AccountLimits, allowedAtMs } from './limits';
import { addStamp, deleteStamps, lockStamps, takeStampBack } from '../store/throttles';
import { isKnownAddress } from './network';
import { limitedSubject, longestWait, networkSubjects, tooManyAttempts } from './attempts';

/** Counts as a failure until it succeeds or is withdrawn. */
interface LoginAttempt {
  /** True if this address logged in to the account in the last 90 days. */
  readonly isKnownAddress: boolean;
  /** Also clears the account's earlier failures from this address. */
  succeed(db: Queryable): Promise<void>;
  /** No password was checked, or the right one. */
  withdraw(db: Queryable): Promise<void>;
}

/**
 * Records the attempt before any work, so that concurrent logins cannot exceed a limit together.
 * @throws ServiceError `too_many_attempts`
 */
async function beginLogin({ pool, limits, clock }: AccountsDeps, email: string, network: string): Promise<LoginAttempt> {
  const digest = emailDigest(email);
  const account = digest.toString('hex');
  const pair = limitedSubject('login_pair', `${account} ${network}`, [limits.loginPair]);
  const addresses = networkSubjects('address', network, limits.address);
  const failures = limitedSubject('login_account', account, [limits.loginAccount]);
  const fresh = limitedSubject('login_fresh', account, [limits.loginFresh]);

  const { stampMs, counted, isKnown } = await inTransaction(pool, async (client) => {
    const stamps = await lockStamps(client, [pair, failures, fresh, ...addresses], clock());
    const [ofPair = [], ofAccount = [], ofFresh = [], ...ofAddresses] = stamps;
    const nowMs = clock();
    const isKnown = await isKnownAddress(client, digest, network, nowMs);
    const addressWaitMs = longestWait(ofAddresses, addresses, nowMs);
    const history = { pair: ofPair, addressWaitMs, account: ofAccount, fresh: ofFresh, isKnownAddress: isKnown };
    const decision = decideLogin(history, limits, nowMs);
    if (decision.type === 'refused') throw tooManyAttempts(decision.retryAfterMs);
    const subjects = [pair, failures, ...addresses, ...(decision.asFresh ? [fresh] : [])];
    await addStamp(client, subjects, nowMs);
    return { stampMs: nowMs, counted: subjects, isKnown };
  });

  return {
    isKnownAddress: isKnown,
    async succeed(db) {
      await takeStampBack(db, counted, stampMs);
      await deleteStamps(db, pair);
    },
    withdraw: (db) => takeStampBack(db, counted, stampMs),
  };
}

/** Earlier attempts, oldest first, each list as long as its limit's window. */
export interface LoginHistory {
  readonly pair: readonly number[];
  readonly addressWaitMs: number;
  readonly account: readonly number[];
  readonly fresh: readonly number[];
  readonly isKnownAddress: boolean;
}

type LoginDecision = { readonly type: 'allowed'; readonly asFresh: boolean } | { readonly type: 'refused'; readonly retryAfterMs: number };

/**
 * Decides whether a login may be tried now. An account with too many failures lets one attempt through per delay. Known
 * addresses, and a bounded number of addresses without failures, skip that delay: an attack gets few guesses and locks
 * no owner out.
 */
export function decideLogin(history: LoginHistory, limits: AccountLimits, nowMs: number): LoginDecision {
  const addressAtMs = Math.max(allowedAtMs(history.pair, limits.loginPair, nowMs), nowMs + history.addressWaitMs);
  if (addressAtMs > nowMs) return refused(addressAtMs, nowMs);
  const accountAtMs = accountAllowedAtMs(history.account, limits, nowMs);
  if (accountAtMs <= nowMs || history.isKnownAddress) return { type: 'allowed', asFresh: false };
  const hasFailed = history.pair.some((stamp) => stamp > nowMs - limits.loginPair.windowMs);
  if (!hasFailed && allowedAtMs(history.fresh, limits.loginFresh, nowMs) <= nowMs) return { type: 'allowed', asFresh: true };
  return refused(accountAtMs, nowMs);
}

function accountAllowedAtMs(failures: readonly number[], { loginAccount, loginDelay }: AccountLimits, nowMs: number): number {
  const recent = failures.filter((stamp) => stamp > nowMs - loginAccount.windowMs);
  const over = recent.length - loginAccount.max;
  if (over < 0) return nowMs;
  return (recent.at(-1) ?? nowMs) + Math.min(loginDelay.longestMs, loginDelay.firstMs * 2 ** over);
}

function refused(atMs: number, nowMs: number): LoginDecision {
  return { type: 'refused', retryAfterMs: atMs - nowMs };
}

interface LoginOrder {
  readonly email: string;
  readonly password: string;
  /** Authentication code or recovery code. */
  readonly code?: string | undefined;
  readonly caller: PasswordCaller;
}

/**
 * An unknown email takes the same time and gets the same answer as a wrong password.
 * @throws ServiceError `login_refused`; `second_factor_required`; `too_many_attempts`; `password_work_full`
 */
export async function login(deps: AccountsDeps, order: LoginOrder): Promise<OpenedSession> {
  const attempt = await beginLogin(deps, order.email, order.caller.network);
  const caller = { ...order.caller, isKnown: attempt.isKnownAddress };
  try {
    const account = await findAccountByEmail(deps.pool, accountDigests(order.email));
    const isRight = await deps.passwords.verify(order.password, account?.passwordHash ?? null, caller);
    if (!isRight || account === null) throw loginRefused();
    const newHash = isOutdated(account.passwordHash) ? await deps.passwords.hash(order.password, caller) : account.passwordHash;
    const opened = await inTransaction(deps.pool, async (client) => {
      // Fails if the password changed since it was compared. From here on the account's row is locked.
      if (!(await replacePassword(client, account.id, account.passwordHash, newHash))) throw loginRefused();
      // A wrong code is counted, so this transaction commits.
      if (!(await passSecondFactor(deps, client, account, order.code, caller.network))) return null;
      const opened = await openAccountSession(deps, client, account.id, caller.network);
      if (opened === null) throw loginRefused();
      await attempt.succeed(client);
      const { tenantId, accountId } = opened;
      await writeAccountEvent(client, { tenantId, accountId, kind: 'login', method: 'password', network: caller.network }, deps);
      return opened;
    });
    if (opened === null) throw loginRefused();
    return opened;
  } catch (error) {
    if (isServiceError(error, 'password_work_full') || isServiceError(error, 'second_factor_required')) await attempt.withdraw(deps.pool);
    throw error;
  }
}

function loginRefused(): ServiceError {
  return unauthenticated('login_refused', 'Wrong email, password or authentication code.');
}
