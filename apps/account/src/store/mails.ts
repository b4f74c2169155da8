import { type Queryable, run } from '@market-state/postgres';
import type { MailKind } from './generated/tables';
import { tables } from './tables';

/** Text and token are created when the mail is sent. */
export interface WaitingMail {
  readonly id: string;
  readonly kind: MailKind;
  readonly email: string;
  /** Account whose email changes; null for other kinds. */
  readonly accountId: string | null;
  /** Null for other kinds. */
  readonly invitationId: string | null;
  readonly createdTsMs: number;
  readonly attempts: number;
}

export async function insertMail(on: Queryable, mail: Omit<WaitingMail, 'attempts'>): Promise<void> {
  const { id, kind, email, accountId, invitationId } = mail;
  const createdAt = new Date(mail.createdTsMs);
  const values = { id, kind, email, account_id: accountId, invitation_id: invitationId, created_at: createdAt, due_at: createdAt };
  await run(on, tables.insertInto('outbox_mail').values(values));
}

/** Leases the longest-due mail for `leaseMs`, resets before claims. It becomes due again unless deleted. */
export async function takeMail(on: Queryable, nowMs: number, leaseMs: number): Promise<WaitingMail | null> {
  const due = tables
    .selectFrom('outbox_mail')
    .select('id')
    .where('due_at', '<=', new Date(nowMs))
    .orderBy('kind')
    .orderBy('due_at')
    .orderBy('id')
    .limit(1)
    .forUpdate()
    .skipLocked();
  const { rows } = await run(
    on,
    tables
      .updateTable('outbox_mail')
      .set((update) => ({ attempts: update('attempts', '+', 1), due_at: new Date(nowMs + leaseMs) }))
      .where('id', '=', due)
      .returning(['id', 'kind', 'email', 'account_id', 'invitation_id', 'created_at', 'attempts']),
  );
  const [row] = rows;
  return row === undefined
    ? null
    : {
        id: row.id,
        kind: row.kind,
        email: row.email,
        accountId: row.account_id,
        invitationId: row.invitation_id,
        createdTsMs: row.created_at.getTime(),
        attempts: row.attempts,
      };
}

export async function postponeMail(on: Queryable, id: string, dueTsMs: number): Promise<void> {
  await run(
    on,
    tables
      .updateTable('outbox_mail')
      .set({ due_at: new Date(dueTsMs) })
      .where('id', '=', id),
  );
}

export async function deleteMail(on: Queryable, id: string): Promise<void> {
  await run(on, tables.deleteFrom('outbox_mail').where('id', '=', id));
}
