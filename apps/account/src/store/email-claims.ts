import { type Queryable, run } from '@market-state/postgres';
import { tables } from './tables';

/** A token that was mailed to an email. */
export interface MailedClaim {
  /** SHA-256 of the token. */
  readonly digest: Buffer;
  readonly emailDigest: Buffer;
}

export async function insertEmailClaim(
  on: Queryable,
  { digest, emailDigest }: MailedClaim,
  createdTsMs: number,
  expiresTsMs: number,
): Promise<void> {
  await run(
    on,
    tables
      .insertInto('email_claim')
      .values({ digest, email_digest: emailDigest, created_at: new Date(createdTsMs), expires_at: new Date(expiresTsMs) }),
  );
}

/** Whether a token was mailed to this email and has not expired. */
export async function hasEmailClaim(on: Queryable, { digest, emailDigest }: MailedClaim, nowMs: number): Promise<boolean> {
  const { rowCount } = await run(
    on,
    tables
      .selectFrom('email_claim')
      .select('digest')
      .where('digest', '=', digest)
      .where('email_digest', '=', emailDigest)
      .where('expires_at', '>', new Date(nowMs)),
  );
  return rowCount === 1;
}

/** Deletes a token that was mailed to this email. @returns false when there is none, or it has expired */
export async function deleteEmailClaim(on: Queryable, { digest, emailDigest }: MailedClaim, nowMs: number): Promise<boolean> {
  const { rowCount } = await run(
    on,
    tables
      .deleteFrom('email_claim')
      .where('digest', '=', digest)
      .where('email_digest', '=', emailDigest)
      .where('expires_at', '>', new Date(nowMs)),
  );
  return rowCount === 1;
}

export async function deleteExpiredEmailClaims(on: Queryable, nowMs: number): Promise<void> {
  await run(on, tables.deleteFrom('email_claim').where('expires_at', '<=', new Date(nowMs)));
}
