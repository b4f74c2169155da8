import { formatSecret, isSecret, SECRET_SIZE_BYTES, secretDigest } from '@market-state/credentials';
import { invalidArgument, type ServiceError } from '@market-state/errors';
import { inTransaction, isUniqueViolation, type Queryable } from '@market-state/postgres';
import { addMail } from '../mail/outbox';
import { writeAccountEvent } from '../store/account-events';
import { findAccountByEmail, replacePassword, writeEmail } from '../store/accounts';
import { replaceEmailChange, setChangeCode, useChangeCode } from '../store/email-changes';
import { deletePasswordResetOf } from '../store/password-resets';
import { deleteOtherSessionsOf } from '../store/sessions';
import { takeStampBack } from '../store/throttles';
import { limitedSubject, networkSubjects, takeAttempt, tooManyAttempts } from './attempts';
import type { AccountsDeps } from './deps';
import { accountDigests, emailDigest } from './email';
import type { PasswordCaller } from './password-work';
import { wrongPassword } from './passwords';
import { accountOfSession } from './sessions';

export const EMAIL_CHANGE_LIFE_MINUTES = 30;

interface ChangeOrder {
  readonly sessionDigest: Uint8Array;
  readonly newEmail: string;
  readonly password: string;
  readonly caller: PasswordCaller;
}

/**
 * Queues a mail with a code to the new email and a notice to the current one. Neither the answer nor its timing reveals
 * whether the new email has an account: sending the mail looks that up.
 * @throws ServiceError `unauthenticated`; INVALID_ARGUMENT; `too_many_attempts`; `password_work_full`
 */
export async function requestEmailChange(deps: AccountsDeps, { sessionDigest, newEmail, password, caller }: ChangeOrder): Promise<string> {
  const { pool, limits, clock, randomBytes } = deps;
  const account = await accountOfSession(pool, sessionDigest, clock());
  if (emailDigest(newEmail).equals(emailDigest(account.email)))
    throw invalidArgument([{ field: 'new_email', message: 'is already the email of this account', type: 'unchanged' }]);
  const addresses = networkSubjects('address', caller.network, limits.address);
  const stampMs = clock();
  await inTransaction(pool, async (client) => {
    const subjects = [limitedSubject('email_change', account.id, limits.emailChange), ...addresses];
    const waitMs = await takeAttempt(client, subjects, stampMs);
    if (waitMs > 0) throw tooManyAttempts(waitMs);
  });
  const isRight = await deps.passwords.verify(password, account.passwordHash, { ...caller, isKnown: true });
  if (!isRight) throw wrongPassword();
  await inTransaction(pool, async (client) => {
    // Fails if the password changed since it was compared. From here on the account's row is locked.
    if (!(await replacePassword(client, account.id, account.passwordHash, account.passwordHash))) throw wrongPassword();
    const nowMs = clock();
    const expiresTsMs = nowMs + EMAIL_CHANGE_LIFE_MINUTES * 60_000;
    await replaceEmailChange(client, { accountId: account.id, newEmail, createdTsMs: nowMs, expiresTsMs });
    const recipient = limitedSubject('email_change_to', emailDigest(newEmail).toString('hex'), limits.emailChange);
    const mail = { nowMs, randomBytes, accountId: account.id };
    if ((await takeAttempt(client, [recipient], nowMs)) === 0) await addMail(client, 'email_change', newEmail, mail);
    await addMail(client, 'email_change_requested', account.email, mail);
    const { id: accountId, tenantId } = account;
    await writeAccountEvent(client, { tenantId, accountId, kind: 'email_change_requested', network: caller.network }, deps);
    await takeStampBack(client, addresses, stampMs);
  });
  return account.id;
}

/** Creates a code, which replaces that of an earlier try. Only its digest is stored. Null if the change is no longer pending. */
export async function createChangeCode(
  db: Queryable,
  change: { readonly accountId: string; readonly newEmail: string },
  deps: Pick<AccountsDeps, 'clock' | 'randomBytes'>,
): Promise<string | null> {
  const code = formatSecret(deps.randomBytes(SECRET_SIZE_BYTES));
  return (await setChangeCode(db, { ...change, digest: secretDigest(code) }, deps.clock())) ? code : null;
}

interface ConfirmOrder {
  readonly sessionDigest: Uint8Array;
  readonly code: string;
  readonly network: string;
}

interface ChangedEmail {
  readonly accountId: string;
  readonly email: string;
  readonly endedSessions: number;
}

/**
 * Sets the new email, which its code verifies, and ends the other sessions. Reset tokens mailed to the earlier email
 * become invalid.
 * @throws ServiceError `unauthenticated`; INVALID_ARGUMENT for any invalid code; `too_many_attempts`
 */
export async function confirmEmailChange(deps: AccountsDeps, { sessionDigest, code, network }: ConfirmOrder): Promise<ChangedEmail> {
  const { pool, limits, clock, randomBytes } = deps;
  const addresses = networkSubjects('address', network, limits.address);
  const stampMs = clock();
  const waitMs = await inTransaction(pool, (client) => takeAttempt(client, addresses, stampMs));
  if (waitMs > 0) throw tooManyAttempts(waitMs);
  if (!isSecret(code)) throw codeRefused();
  try {
    return await inTransaction(pool, async (client) => {
      const account = await accountOfSession(client, sessionDigest, clock(), true);
      const email = await useChangeCode(client, account.id, secretDigest(code), clock());
      if (email === null) throw codeRefused();
      // An account of an earlier release may have another digest of the same email.
      if ((await findAccountByEmail(client, accountDigests(email))) !== null) throw codeRefused();
      await writeEmail(client, account.id, { email, emailDigest: emailDigest(email), nowMs: clock() });
      await deletePasswordResetOf(client, account.id);
      const endedSessions = await deleteOtherSessionsOf(client, account.id, sessionDigest);
      await addMail(client, 'email_changed', account.email, { nowMs: clock(), randomBytes, accountId: account.id });
      await writeAccountEvent(client, { tenantId: account.tenantId, accountId: account.id, kind: 'email_changed', network }, deps);
      await takeStampBack(client, addresses, stampMs);
      return { accountId: account.id, email, endedSessions };
    });
  } catch (error) {
    // Another account got the email at the same time.
    if (isUniqueViolation(error)) throw codeRefused();
    throw error;
  }
}

function codeRefused(): ServiceError {
  const message = 'is not valid: it was used, replaced by a newer one, has expired, or the email cannot be used';
  return invalidArgument([{ field: 'code', message, type: 'wrong_code' }]);
}
