import { type Queryable, run } from '@market-state/postgres';
import { tables } from './tables';

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

interface NewClaimToken {
  /** SHA-256 of the token. */
  readonly digest: Buffer;
  readonly tenantId: string;
  readonly createdTsMs: number;
  readonly expiresTsMs: number;
}

export async function insertClaimToken(on: Queryable, { digest, tenantId, createdTsMs, expiresTsMs }: NewClaimToken): Promise<boolean> {
  const { rowCount } = await on.query(
    'INSERT INTO claim_token (digest, tenant_id, created_at, expires_at) SELECT $1, id, $3, $4 FROM tenant WHERE id = $2',
    [digest, tenantId, new Date(createdTsMs), new Date(expiresTsMs)],
  );
  return rowCount === 1;
}

/** @returns its tenant, or null if it is unknown, used or expired */
export async function useClaimToken(on: Queryable, digest: Buffer, nowMs: number): Promise<string | null> {
  const now = new Date(nowMs);
  const { rows } = await run(
    on,
    tables
      .updateTable('claim_token')
      .set({ used_at: now })
      .where('digest', '=', digest)
      .where('used_at', 'is', null)
      .where('expires_at', '>', now)
      .returning('tenant_id'),
  );
  return rows[0]?.tenant_id ?? null;
}
