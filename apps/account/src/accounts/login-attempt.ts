import { inTransaction, type Queryable } from '@market-state/postgres';
import { addStamp, deleteStamps, lockStamps, takeStampBack } from '../store/throttles';
import type { AccountsDeps } from './deps';
import { emailDigest } from './email';
import { isKnownAddress } from './known-address';
import { decideLogin } from './login-limits';
import { limitedSubject, longestWait, networkSubjects } from './take-attempt';
import { tooManyAttempts } from './too-many-attempts';

/** A login under way: it counts as a failure until it is taken back. */
export interface LoginAttempt {
  /** True if this account was logged in to from this address in the last 90 days. */
  readonly isKnownAddress: boolean;
  /** The password was right: the failures of this account from this address are forgotten too. */
  succeed(db: Queryable): Promise<void>;
  /** Nothing was tried after all. */
  withdraw(db: Queryable): Promise<void>;
}

/**
 * Notes an attempt to log in before anything is worked on, so that logins at once cannot pass a limit together.
 * @throws ServiceError RESOURCE_EXHAUSTED with reason `too_many_attempts`
 */
export async function beginLogin({ pool, limits, clock }: AccountsDeps, email: string, network: string): Promise<LoginAttempt> {
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
