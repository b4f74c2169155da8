import { inTransaction, type Queryable } from '@market-state/postgres';
import { addStamp, deleteStamps, lockStamps, takeStampBack } from '../store/throttles';
import type { AccountsDeps } from './deps';
import { emailDigest } from './email';
import { isKnownAddress } from './known-address';
import { decideLogin } from './login-limits';
import { limitedSubject } from './take-attempt';
import { tooManyAttempts } from './too-many-attempts';

/** A login under way: it counts as a failure until it is taken back. */
export interface LoginAttempt {
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
  const failures = [limitedSubject('address', network, limits.address), limitedSubject('login_account', account, [limits.loginAccount])];
  const fresh = limitedSubject('login_fresh', account, [limits.loginFresh]);

  const { stampMs, counted } = await inTransaction(pool, async (client) => {
    const [ofPair = [], ofAddress = [], ofAccount = [], ofFresh = []] = await lockStamps(client, [pair, ...failures, fresh], clock());
    const nowMs = clock();
    const known = await isKnownAddress(client, digest, network, nowMs);
    const history = { pair: ofPair, address: ofAddress, account: ofAccount, fresh: ofFresh, isKnownAddress: known };
    const decision = decideLogin(history, limits, nowMs);
    if (decision.type === 'refused') throw tooManyAttempts(decision.retryAfterMs);
    const subjects = [pair, ...failures, ...(decision.asFresh ? [fresh] : [])];
    await addStamp(client, subjects, nowMs);
    return { stampMs: nowMs, counted: subjects };
  });

  return {
    async succeed(db) {
      await takeStampBack(db, counted, stampMs);
      await deleteStamps(db, pair);
    },
    withdraw: (db) => takeStampBack(db, counted, stampMs),
  };
}
