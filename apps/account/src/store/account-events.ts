import { type MemberRole, newId } from '@market-state/credentials';
import { type Queryable, run } from '@market-state/postgres';
import type { PageStart } from './page-starts';
import { tables } from './tables';

export type AccountEventKind =
  | 'login'
  | 'password_changed'
  | 'email_change_requested'
  | 'email_changed'
  | 'key_created'
  | 'key_rotated'
  | 'key_revoked'
  | 'destination_created'
  | 'destination_changed'
  | 'destination_deleted'
  | 'second_factor_enabled'
  | 'second_factor_disabled'
  | 'recovery_code_used'
  | 'recovery_codes_replaced'
  | 'member_invited'
  | 'invitation_withdrawn'
  | 'member_joined'
  | 'member_role_changed'
  | 'member_removed'
  | 'member_left';

interface NewAccountEvent {
  readonly tenantId: string;
  readonly kind: AccountEventKind;
  readonly accountId?: string | null;
  readonly keyId?: string | null;
  /** SHA-256 of the acting key or session, instead of its ids. */
  readonly credentialDigest?: Uint8Array | undefined;
  readonly subjectId?: string;
  /** Invited or changed member. */
  readonly subjectEmail?: string;
  readonly role?: MemberRole;
  readonly network?: string;
  /** Kind of a login. */
  readonly method?: 'password' | 'oidc';
}

interface WritingDeps {
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}

export async function writeAccountEvent(
  on: Queryable,
  { tenantId, kind, accountId = null, keyId = null, credentialDigest, subjectId, subjectEmail, role, network, method }: NewAccountEvent,
  { clock, randomBytes }: WritingDeps,
): Promise<void> {
  await on.query(
    `INSERT INTO account_event (id, tenant_id, kind, account_id, key_id, subject_id, address, created_at, subject_email, role,
       method, account_email)
     SELECT $1, $2, $3, actor.account_id, coalesce($5, (SELECT id FROM api_key WHERE digest = $6)), $7, $8, $9, $10,
       $11::member_role, $12, (SELECT email FROM account WHERE id = actor.account_id)
     FROM (SELECT coalesce($4, (SELECT account_id FROM session WHERE digest = $6)) AS account_id) AS actor`,
    [
      newId('evn', randomBytes),
      tenantId,
      kind,
      accountId,
      keyId,
      credentialDigest === undefined ? null : Buffer.from(credentialDigest),
      subjectId ?? null,
      network ?? null,
      new Date(clock()),
      subjectEmail ?? null,
      role ?? null,
      method ?? null,
    ],
  );
}

export interface AccountEvent {
  readonly id: string;
  readonly kind: string;
  readonly accountId: string | null;
  readonly keyId: string | null;
  readonly subjectId: string | null;
  readonly address: string | null;
  readonly createdTsMs: number;
  readonly accountEmail: string | null;
  readonly subjectEmail: string | null;
  readonly role: MemberRole | null;
  readonly method: string | null;
}

/** Newest first. */
export async function listAccountEvents(on: Queryable, tenantId: string, limit: number, after: PageStart | null): Promise<AccountEvent[]> {
  const { rows } = await run(
    on,
    tables
      .selectFrom('account_event as e')
      .leftJoin('account as a', 'a.id', 'e.account_id')
      .selectAll('e')
      .select('a.email')
      .where('e.tenant_id', '=', tenantId)
      .$if(after !== null, (statement) =>
        statement.where((where) =>
          where(where.refTuple('e.created_at', 'e.id'), '<', where.tuple(new Date(after?.atMs ?? 0), after?.id ?? '')),
        ),
      )
      .orderBy('e.created_at', 'desc')
      .orderBy('e.id', 'desc')
      .limit(limit),
  );
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    accountId: row.account_id,
    keyId: row.key_id,
    subjectId: row.subject_id,
    address: row.address,
    createdTsMs: row.created_at.getTime(),
    accountEmail: row.account_email ?? row.email,
    subjectEmail: row.subject_email,
    role: row.role,
    method: row.method,
  }));
}

/** Emails of members that owners have removed, as far as events are kept. */
export async function listRemovedEmails(on: Queryable, tenantId: string): Promise<string[]> {
  const { rows } = await run(
    on,
    tables
      .selectFrom('account_event')
      .select('subject_email')
      .distinct()
      .where('tenant_id', '=', tenantId)
      .where('kind', '=', 'member_removed')
      .where('subject_email', 'is not', null)
      .$narrowType<{ subject_email: string }>(),
  );
  return rows.map((row) => row.subject_email);
}

/** Deletes events past their retention. @returns how many, at most `rowsMax` */
export async function forgetAccountEvents(on: Queryable, rowsMax: number): Promise<number> {
  const { rows } = await on.query<{ deleted: number }>('SELECT forget_account_events($1) AS deleted', [rowsMax]);
  return rows[0]?.deleted ?? 0;
}
