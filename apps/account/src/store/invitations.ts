import type { MemberRole } from '@market-state/credentials';
import { type Queryable, run } from '@market-state/postgres';
import { tables } from './tables';

export interface Invitation {
  readonly id: string;
  readonly tenantId: string;
  readonly email: string;
  readonly role: MemberRole;
  /** Email of the account that invited; null for a key or a deleted account. */
  readonly invitedBy: string | null;
  readonly createdTsMs: number;
  readonly expiresTsMs: number;
}

interface NewInvitation extends Omit<Invitation, 'invitedBy'> {
  readonly emailDigest: Buffer;
  /** SHA-256 of the acting key or session. */
  readonly credentialDigest: Uint8Array;
}

/**
 * Renews the tenant's invitation of this email if there is one. Its token stays valid until another is set.
 * @returns its id
 */
export async function saveInvitation(on: Queryable, invitation: NewInvitation): Promise<string> {
  const { id, tenantId, email, emailDigest, role, credentialDigest, createdTsMs, expiresTsMs } = invitation;
  const inviter = tables.selectFrom('session').select('account_id').where('digest', '=', Buffer.from(credentialDigest));
  const terms = { email, role, invited_by: inviter, created_at: new Date(createdTsMs), expires_at: new Date(expiresTsMs) };
  const { rows } = await run(
    on,
    tables
      .insertInto('invitation')
      .values({ id, tenant_id: tenantId, email_digest: emailDigest, ...terms })
      .onConflict((conflict) => conflict.columns(['tenant_id', 'email_digest']).doUpdateSet(terms))
      .returning('id'),
  );
  return rows[0]?.id ?? id;
}

function pending(nowMs: number) {
  return tables
    .selectFrom('invitation as i')
    .leftJoin('account as a', 'a.id', 'i.invited_by')
    .select(['i.id', 'i.tenant_id', 'i.email', 'i.role', 'i.created_at', 'i.expires_at', 'a.email as invited_by'])
    .where('i.expires_at', '>', new Date(nowMs));
}

interface InvitationRow extends Pick<Invitation, 'id' | 'email' | 'role'> {
  readonly tenant_id: string;
  readonly invited_by: string | null;
  readonly created_at: Date;
  readonly expires_at: Date;
}

function toInvitation(row: InvitationRow): Invitation {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    email: row.email,
    role: row.role,
    invitedBy: row.invited_by,
    createdTsMs: row.created_at.getTime(),
    expiresTsMs: row.expires_at.getTime(),
  };
}

/** Oldest first. */
export async function listInvitations(on: Queryable, tenantId: string, nowMs: number): Promise<Invitation[]> {
  const { rows } = await run(on, pending(nowMs).where('i.tenant_id', '=', tenantId).orderBy('i.created_at').orderBy('i.id'));
  return rows.map(toInvitation);
}

/** Pending invitation with this id, or with this digest of its token. */
export async function findInvitation(
  on: Queryable,
  by: { readonly id: string } | { readonly digest: Buffer },
  nowMs: number,
): Promise<Invitation | null> {
  const found = 'id' in by ? pending(nowMs).where('i.id', '=', by.id) : pending(nowMs).where('i.digest', '=', by.digest);
  const { rows } = await run(on, found);
  return rows[0] === undefined ? null : toInvitation(rows[0]);
}

export async function setInvitationToken(on: Queryable, id: string, digest: Buffer): Promise<void> {
  await run(on, tables.updateTable('invitation').set({ digest }).where('id', '=', id));
}

/** @returns false if the token is no longer valid */
export async function useInvitation(on: Queryable, digest: Buffer, nowMs: number): Promise<boolean> {
  const statement = tables.deleteFrom('invitation').where('digest', '=', digest).where('expires_at', '>', new Date(nowMs));
  const { rowCount } = await run(on, statement);
  return rowCount === 1;
}

/** @returns its role, or null if the tenant has no such pending invitation */
export async function useInvitationOfEmail(
  on: Queryable,
  tenantId: string,
  emailDigest: Buffer,
  nowMs: number,
): Promise<MemberRole | null> {
  const { rows } = await run(
    on,
    tables
      .deleteFrom('invitation')
      .where('tenant_id', '=', tenantId)
      .where('email_digest', '=', emailDigest)
      .where('expires_at', '>', new Date(nowMs))
      .returning('role'),
  );
  return rows[0]?.role ?? null;
}

/** @returns its email, or null if the tenant has no such pending invitation */
export async function deleteInvitation(on: Queryable, tenantId: string, id: string, nowMs: number): Promise<string | null> {
  const { rows } = await run(
    on,
    tables
      .deleteFrom('invitation')
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .where('expires_at', '>', new Date(nowMs))
      .returning('email'),
  );
  return rows[0]?.email ?? null;
}

export async function deleteInvitationsOf(on: Queryable, tenantId: string): Promise<void> {
  await run(on, tables.deleteFrom('invitation').where('tenant_id', '=', tenantId));
}
