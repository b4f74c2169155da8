import type { Queryable } from '@market-state/postgres';
import { emailDigest } from './email';

/** An account as its login needs it. */
export interface StoredAccount {
  readonly id: string;
  readonly tenantId: string;
  readonly email: string;
  readonly passwordHash: string;
}

/** The account of an email in any of its spellings; null when there is none. */
export async function findAccount(db: Queryable, email: string): Promise<StoredAccount | null> {
  const { rows } = await db.query<{ id: string; tenant_id: string; email: string; password_hash: string }>(
    'SELECT id, tenant_id, email, password_hash FROM account WHERE email_digest = $1',
    [emailDigest(email)],
  );
  const [row] = rows;
  return row === undefined ? null : { id: row.id, tenantId: row.tenant_id, email: row.email, passwordHash: row.password_hash };
}
