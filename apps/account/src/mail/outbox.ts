import type { Queryable } from '@market-state/postgres';
import { newId } from '../keys/id';

/** What a mail is about. */
export type MailKind = 'reset' | 'claim';

/** A mail that waits: it has neither text nor token, which are made when it is sent. */
export interface WaitingMail {
  readonly id: string;
  readonly kind: MailKind;
  readonly email: string;
  readonly createdTsMs: number;
  /** Tries begun, this one too. */
  readonly attempts: number;
}

/** Puts a mail into the queue, in the caller's transaction. */
export async function addMail(
  db: Queryable,
  kind: MailKind,
  email: string,
  { nowMs, randomBytes }: { nowMs: number; randomBytes: (size: number) => Uint8Array },
): Promise<void> {
  // Postgres takes no NUL in a text; such an email has no account.
  if (email.includes('\u0000')) return;
  await db.query('INSERT INTO outbox_mail (id, kind, email, created_at, due_at) VALUES ($1, $2, $3, $4, $4)', [
    newId('mail', randomBytes),
    kind,
    email,
    new Date(nowMs),
  ]);
}

/**
 * Takes the mail that is due longest, resets before claims, for `leaseMs`: after that it is due again, unless it is removed. Null when none
 * is due.
 */
export async function takeMail(db: Queryable, nowMs: number, leaseMs: number): Promise<WaitingMail | null> {
  const { rows } = await db.query<{ id: string; kind: MailKind; email: string; created_at: Date; attempts: number }>(
    `UPDATE outbox_mail SET attempts = attempts + 1, due_at = $2
     WHERE id = (SELECT id FROM outbox_mail WHERE due_at <= $1 ORDER BY kind, due_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING id, kind::text AS kind, email, created_at, attempts`,
    [new Date(nowMs), new Date(nowMs + leaseMs)],
  );
  const [row] = rows;
  return row === undefined
    ? null
    : { id: row.id, kind: row.kind, email: row.email, createdTsMs: row.created_at.getTime(), attempts: row.attempts };
}

/** Lets a mail wait until a time. */
export async function postponeMail(db: Queryable, id: string, dueTsMs: number): Promise<void> {
  await db.query('UPDATE outbox_mail SET due_at = $2 WHERE id = $1', [id, new Date(dueTsMs)]);
}

export async function removeMail(db: Queryable, id: string): Promise<void> {
  await db.query('DELETE FROM outbox_mail WHERE id = $1', [id]);
}
