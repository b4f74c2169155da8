import type { MemberRole } from '@market-state/credentials';
import { type Queryable, run } from '@market-state/postgres';
import { tables } from './tables';

export interface LockedMember {
  readonly id: string;
  readonly email: string;
  readonly role: MemberRole;
}

/** Until the transaction ends, in the order of their ids. */
export async function lockMembers(on: Queryable, tenantId: string): Promise<LockedMember[]> {
  const { rows } = await run(
    on,
    tables.selectFrom('account').select(['id', 'email', 'role']).where('tenant_id', '=', tenantId).orderBy('id').forUpdate(),
  );
  return rows;
}

export interface Member extends LockedMember {
  readonly hasFactor: boolean;
  readonly createdTsMs: number;
  /** Null without an open session. */
  readonly lastUsedTsMs: number | null;
}

function members(nowMs: number) {
  return tables
    .selectFrom('account as a')
    .leftJoin('second_factor as f', 'f.account_id', 'a.id')
    .select(['a.id', 'a.email', 'a.role', 'a.created_at', 'f.confirmed_at'])
    .select((select) =>
      select
        .selectFrom('session as s')
        .whereRef('s.account_id', '=', 'a.id')
        .where('s.expires_at', '>', new Date(nowMs))
        .select(({ fn }) => fn.max('s.last_used_at').as('at'))
        .as('last_used_at'),
    );
}

interface MemberRow extends LockedMember {
  readonly created_at: Date;
  readonly confirmed_at: Date | null;
  readonly last_used_at: Date | null;
}

function toMember({ id, email, role, created_at: createdAt, confirmed_at: confirmedAt, last_used_at: usedAt }: MemberRow): Member {
  return {
    id,
    email,
    role,
    hasFactor: confirmedAt !== null,
    createdTsMs: createdAt.getTime(),
    lastUsedTsMs: usedAt?.getTime() ?? null,
  };
}

/** Oldest first. */
export async function listMembers(on: Queryable, tenantId: string, nowMs: number): Promise<Member[]> {
  const { rows } = await run(on, members(nowMs).where('a.tenant_id', '=', tenantId).orderBy('a.created_at').orderBy('a.id'));
  return rows.map(toMember);
}

export async function findMember(on: Queryable, accountId: string, nowMs: number): Promise<Member | null> {
  const { rows } = await run(on, members(nowMs).where('a.id', '=', accountId));
  return rows[0] === undefined ? null : toMember(rows[0]);
}

export async function writeRole(on: Queryable, accountId: string, role: MemberRole): Promise<void> {
  await run(on, tables.updateTable('account').set({ role }).where('id', '=', accountId));
}

/** Makes the oldest account an owner if there is none. */
export async function ensureOwner(on: Queryable, tenantId: string): Promise<void> {
  await on.query(
    `UPDATE account SET role = 'owner'
     WHERE id = (SELECT id FROM account WHERE tenant_id = $1 ORDER BY created_at, id LIMIT 1)
       AND NOT EXISTS (SELECT FROM account WHERE tenant_id = $1 AND role = 'owner')`,
    [tenantId],
  );
}

/** Sessions and everything else of the account are deleted with it. */
export async function deleteMember(on: Queryable, accountId: string): Promise<void> {
  await run(on, tables.deleteFrom('account').where('id', '=', accountId));
}
