import { newId } from '@market-state/credentials';
import type { Queryable } from '@market-state/postgres';
import type { MailKind } from '../store/generated/tables';
import { insertMail } from '../store/mails';

export async function addMail(
  db: Queryable,
  kind: MailKind,
  email: string,
  { nowMs, randomBytes, accountId = null }: { nowMs: number; randomBytes: (size: number) => Uint8Array; accountId?: string | null },
): Promise<void> {
  // Postgres text cannot contain NUL; such an email has no account.
  if (email.includes('\u0000')) return;
  await insertMail(db, { id: newId('mail', randomBytes), kind, email, accountId, createdTsMs: nowMs });
}
