import { inTransaction } from '@market-state/postgres';
import { addMail } from '../mail/outbox';
import type { AccountsDeps } from './deps';
import { emailDigest } from './email';
import { limitedSubject, networkSubjects, takeAttempt } from './take-attempt';
import { tooManyAttempts } from './too-many-attempts';

/**
 * Puts a reset mail into the queue. Whether the email has an account is found out by whoever sends it, so nothing here tells.
 * @throws ServiceError RESOURCE_EXHAUSTED with reason `too_many_attempts`, by address only
 */
export async function requestReset({ pool, limits, clock, randomBytes }: AccountsDeps, email: string, network: string): Promise<void> {
  await inTransaction(pool, async (client) => {
    const nowMs = clock();
    const waitMs = await takeAttempt(client, networkSubjects('reset_address', network, [limits.resetAddress]), nowMs);
    if (waitMs > 0) throw tooManyAttempts(waitMs);
    const account = limitedSubject('reset_account', emailDigest(email).toString('hex'), [limits.resetAccount]);
    if ((await takeAttempt(client, [account], nowMs)) === 0) await addMail(client, 'reset', email, { nowMs, randomBytes });
  });
}
