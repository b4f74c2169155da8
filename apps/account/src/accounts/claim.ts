import { failedPrecondition, isServiceError, ServiceError } from '@market-state/errors';
import { inTransaction } from '@market-state/postgres';
import type { PoolClient } from 'pg';
import { newId } from '../keys/id';
import { takeStampBack } from '../store/throttles';
import { requestClaimMail, writeToEmail } from './request-claim-mail';
import type { AccountsDeps, OpenedSession } from './deps';
import { emailDigest } from './email';
import { isEmailClaim } from './email-claim';
import { openAccountSession } from './open-account-session';
import { keyClaimSubjects } from './key-claim-limits';
import { type PasswordCaller, refuseWhoHasLeft } from './password-work';
import { type Claimed, type ClaimProofs, redeem } from './redeem';
import { networkSubjects, takeAttempt } from './take-attempt';
import { tooManyAttempts } from './too-many-attempts';
import { trialSubjects } from './trial-limits';
import * as store from '../store/accounts';

export interface ClaimOrder extends ClaimProofs {
  readonly password: string;
  readonly caller: PasswordCaller;
}

export interface ClaimDeps extends AccountsDeps {
  readonly allowTrials: boolean;
  /** Whether a claim with neither key nor token must come through the email's mailbox. */
  readonly verifiesEmails: boolean;
}

/**
 * Makes an account in the tenant of a key or an operator's token, else in a new tenant with a trial, and opens its first session. Each key
 * and each token claims once; of racing claims one wins.
 * @returns null where the email must be verified first: a mail is on its way to it, whether or not it has an account
 * @throws ServiceError UNAUTHENTICATED with reason `claim_refused`, the same whatever is wrong; FAILED_PRECONDITION `trial_not_offered`;
 * `too_many_attempts`; `too_many_trials`; `password_work_full`
 */
export async function claim(deps: ClaimDeps, order: ClaimOrder): Promise<OpenedSession | null> {
  const { pool, limits, clock } = deps;
  const { network } = order.caller;
  if (deps.verifiesEmails && order.apiKey === '' && order.claimToken === '') {
    refuseWithoutTrials(deps);
    await requestClaimMail(deps, order.email, network);
    return null;
  }
  const isTrial = order.apiKey === '' && (order.claimToken === '' || (await isEmailClaim(pool, order.claimToken, order.email, clock())));
  if (isTrial) refuseWithoutTrials(deps);
  const addresses = networkSubjects('address', network, limits.address);
  const isKeyAlone = order.apiKey !== '' && order.claimToken === '';
  const byKey = deps.verifiesEmails && isKeyAlone ? await keyClaimSubjects(deps, order.apiKey, network) : { address: [], tenant: [] };
  const trials = isTrial ? trialSubjects(limits, network) : [];
  const stampMs = clock();
  await inTransaction(pool, async (client) => {
    const waitMs = await takeAttempt(client, [...addresses, ...byKey.address, ...byKey.tenant], stampMs);
    if (waitMs > 0) throw tooManyAttempts(waitMs);
    const trialWaitMs = await takeAttempt(client, trials, stampMs);
    if (trialWaitMs > 0) throw tooManyAttempts(trialWaitMs, 'too_many_trials');
  });
  try {
    const passwordHash = await deps.passwords.hash(order.password, order.caller);
    return await inTransaction(pool, async (client) => {
      const claimed = await redeem(deps, client, order);
      const accountId = claimed === null ? null : await insertAccount(deps, client, claimed, order.email, passwordHash);
      const opened = accountId === null ? null : await openAccountSession(deps, client, accountId, network);
      if (opened === null) throw claimRefused();
      await takeStampBack(client, [...addresses, ...byKey.tenant], stampMs);
      refuseWhoHasLeft(order.caller);
      return opened;
    });
  } catch (error) {
    await takeStampBack(
      pool,
      isServiceError(error, 'password_work_full') ? [...addresses, ...byKey.address, ...byKey.tenant, ...trials] : trials,
      stampMs,
    );
    // Whoever claims an email that has an account has forgotten that, or is another: its owner hears of it.
    if (isTrial && isServiceError(error, 'claim_refused')) await inTransaction(pool, (client) => writeToEmail(deps, client, order.email));
    throw error;
  }
}

/** @throws ServiceError FAILED_PRECONDITION with reason `trial_not_offered` */
function refuseWithoutTrials({ allowTrials }: Pick<ClaimDeps, 'allowTrials'>): void {
  if (!allowTrials) throw failedPrecondition('trial_not_offered', 'Trials are not offered here: a claim needs a key or a claim token.');
}

/** Its id; null when the email has an account already, or the key has claimed one. */
async function insertAccount(
  { clock, randomBytes }: ClaimDeps,
  client: PoolClient,
  claimed: Claimed,
  email: string,
  passwordHash: string,
): Promise<string | null> {
  const id = newId('acc', randomBytes);
  const createdTsMs = clock();
  const account = { id, email, emailDigest: emailDigest(email), passwordHash, claimedKeyId: claimed.keyId, createdTsMs };
  const { tenantId, isEmailVerified } = claimed;
  return (await store.insertAccount(client, { ...account, tenantId, isEmailVerified })) ? id : null;
}

function claimRefused(): ServiceError {
  return new ServiceError({
    code: 'UNAUTHENTICATED',
    reason: 'claim_refused',
    sentence: 'The key or claim token is not valid, or the email already has an account.',
  });
}
