import { newId } from '@market-state/credentials';
import type { Queryable } from '@market-state/postgres';
import type { MailKind } from '../store/generated/tables';
import { insertMail } from '../store/mails';

interface MailOrder {
  readonly nowMs: number;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly accountId?: string | null;
  readonly invitationId?: string | null;
}

export async function addMail(
  db: Queryable,
  kind: MailKind,
  email: string,
  { nowMs, randomBytes, accountId = null, invitationId = null }: MailOrder,
): Promise<void> {
  // Postgres text cannot contain NUL; such an email has no account.
  if (email.includes('\u0000')) return;
  await insertMail(db, { id: newId('mail', randomBytes), kind, email, accountId, invitationId, createdTsMs: nowMs });
}
