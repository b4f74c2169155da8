import { inTransaction } from '@market-state/postgres';
import type { PoolClient } from 'pg';
import { addMail } from '../mail/outbox';
import type { AccountsDeps } from './deps';
import type { AccountLimits } from './limits';
import { emailDigest } from './email';
import { type LimitedSubject, limitedSubject, networkSubjects, readWait, takeAttempt } from './take-attempt';
import { tooManyAttempts } from './too-many-attempts';
import { trialSubjects } from './trial-limits';

/**
 * Puts a mail about a claim into the queue. Whether the email has an account is found out by whoever sends it, and nothing of the password
 * is looked at, so neither the answer nor its time shows that.
 * @throws ServiceError RESOURCE_EXHAUSTED with reason `too_many_attempts` or `too_many_trials`, by address, by all trials and by all mails
 * about claims only
 */
export async function requestClaimMail(deps: AccountsDeps, email: string, network: string): Promise<void> {
  const { pool, limits, clock } = deps;
  await inTransaction(pool, async (client) => {
    const nowMs = clock();
    const waitMs = await takeAttempt(client, networkSubjects('claim_address', network, [limits.claimAddress]), nowMs);
    if (waitMs > 0) throw tooManyAttempts(waitMs);
    // The mail's link could open no trial from here, or no mail is left for today: the same for every email.
    const trialWaitMs = await readWait(client, [...trialSubjects(limits, network), mailTotal(limits)], nowMs);
    if (trialWaitMs > 0) throw tooManyAttempts(trialWaitMs, 'too_many_trials');
    await writeToEmail(deps, client, email);
  });
}

/** A mail about a claim, in the caller's transaction; none where the email, or all emails together, have had their share. */
export async function writeToEmail(
  { limits, clock, randomBytes }: Pick<AccountsDeps, 'limits' | 'clock' | 'randomBytes'>,
  client: PoolClient,
  email: string,
): Promise<void> {
  const nowMs = clock();
  const share = limitedSubject('claim_email', emailDigest(email).toString('hex'), limits.claimEmail);
  if ((await takeAttempt(client, [share], nowMs)) > 0) return;
  // One row for everybody: held for mails that are sent alone, and last.
  if ((await takeAttempt(client, [mailTotal(limits)], nowMs)) === 0) await addMail(client, 'claim', email, { nowMs, randomBytes });
}

function mailTotal({ claimMailTotal }: Pick<AccountLimits, 'claimMailTotal'>): LimitedSubject {
  return limitedSubject('claim_mail_total', '', [claimMailTotal]);
}
