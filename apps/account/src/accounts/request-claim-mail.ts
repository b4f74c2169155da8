import { inTransaction } from '@market-state/postgres';
import type { PoolClient } from 'pg';
import { addMail } from '../mail/outbox';
import type { AccountsDeps } from './deps';
import { emailDigest } from './email';
import { limitedSubject, takeAttempt, waitOf } from './take-attempt';
import { tooManyAttempts } from './too-many-attempts';
import { trialSubjects } from './trial-limits';

/**
 * Puts a mail about a claim into the queue. Whether the email has an account is found out by whoever sends it, and nothing of the password is looked
 * at, so neither the answer nor its time shows that.
 * @throws ServiceError RESOURCE_EXHAUSTED with reason `too_many_attempts` or `too_many_trials`, by address and by all trials only
 */
export async function requestClaimMail(deps: AccountsDeps, email: string, network: string): Promise<void> {
  const { pool, limits, clock } = deps;
  await inTransaction(pool, async (client) => {
    const nowMs = clock();
    const waitMs = await takeAttempt(client, [limitedSubject('claim_address', network, [limits.claimAddress])], nowMs);
    if (waitMs > 0) throw tooManyAttempts(waitMs);
    // The mail's link could open no trial from here.
    const trialWaitMs = await waitOf(client, trialSubjects(limits, network), nowMs);
    if (trialWaitMs > 0) throw tooManyAttempts(trialWaitMs, 'too_many_trials');
    await writeToEmail(deps, client, email);
  });
}

/** A mail about a claim, in the caller's transaction; none where the email has had its share. */
export async function writeToEmail({ limits, clock, randomBytes }: Pick<AccountsDeps, 'limits' | 'clock' | 'randomBytes'>, client: PoolClient, email: string): Promise<void> {
  const nowMs = clock();
  const share = limitedSubject('claim_email', emailDigest(email).toString('hex'), limits.claimEmail);
  if ((await takeAttempt(client, [share], nowMs)) === 0) await addMail(client, 'claim', email, { nowMs, randomBytes });
}
