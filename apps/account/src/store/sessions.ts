import type { MemberRole } from '@market-state/credentials';
import { type Queryable, run } from '@market-state/postgres';
import { sql } from 'kysely';
import { tables } from './tables';

const FIND_BY_DIGEST = {
  name: 'find-session-by-digest',
  text: `SELECT s.account_id, a.tenant_id, a.role, t.plan_id, s.last_used_at, s.expires_at
         FROM session s JOIN account a ON a.id = s.account_id JOIN tenant t ON t.id = a.tenant_id
         WHERE s.digest = $1 AND NOT t.disabled`,
};

interface SessionRow {
  readonly account_id: string;
  readonly tenant_id: string;
  readonly role: MemberRole;
  readonly plan_id: string | null;
  readonly last_used_at: Date;
  readonly expires_at: Date;
}

export interface SessionOfAccount {
  readonly accountId: string;
  readonly tenantId: string;
  readonly role: MemberRole;
  readonly planId: string | null;
  readonly lastUsedTsMs: number;
  readonly expiresTsMs: number;
}

/** Includes ended sessions. Null if there is none or its tenant is disabled. */
export async function findSessionByDigest(on: Queryable, digest: Uint8Array): Promise<SessionOfAccount | null> {
  const { rows } = await on.query<SessionRow>({ ...FIND_BY_DIGEST, values: [digest] });
  const [row] = rows;
  if (row === undefined) return null;
  return {
    accountId: row.account_id,
    tenantId: row.tenant_id,
    role: row.role,
    planId: row.plan_id,
    lastUsedTsMs: row.last_used_at.getTime(),
    expiresTsMs: row.expires_at.getTime(),
  };
}

export async function touchSession(on: Queryable, digest: Uint8Array, usedTsMs: number): Promise<void> {
  await run(
    on,
    tables
      .updateTable('session')
      .set({ last_used_at: sql<Date>`greatest(last_used_at, ${new Date(usedTsMs)})` })
      .where('digest', '=', Buffer.from(digest)),
  );
}

interface NewSession {
  readonly digest: Buffer;
  readonly accountId: string;
  readonly openedTsMs: number;
  readonly expiresTsMs: number;
}

export async function insertSession(on: Queryable, { digest, accountId, openedTsMs, expiresTsMs }: NewSession): Promise<void> {
  const openedAt = new Date(openedTsMs);
  await run(
    on,
    tables
      .insertInto('session')
      .values({ digest, account_id: accountId, created_at: openedAt, last_used_at: openedAt, expires_at: new Date(expiresTsMs) }),
  );
}

export async function deleteOldestSessions(on: Queryable, accountId: string, keptDigest: Buffer, keptMax: number): Promise<void> {
  const surplus = tables
    .selectFrom('session')
    .select('digest')
    .where('account_id', '=', accountId)
    .where('digest', '<>', keptDigest)
    .orderBy('created_at', 'desc')
    .orderBy('digest')
    .offset(keptMax);
  await run(on, tables.deleteFrom('session').where('digest', 'in', surplus));
}

export async function deleteSession(on: Queryable, digest: Uint8Array): Promise<void> {
  await run(on, tables.deleteFrom('session').where('digest', '=', Buffer.from(digest)));
}

export async function deleteSessionsOfAccount(on: Queryable, digest: Uint8Array): Promise<void> {
  const owner = tables.selectFrom('session').select('account_id').where('digest', '=', Buffer.from(digest));
  await run(on, tables.deleteFrom('session').where('account_id', '=', owner));
}

/** Names a session in public: the beginning of its secret's digest. */
const SESSION_ID = sql<string>`'ses_' || encode(substr(digest, 1, 16), 'hex')`;

/**
 * @param accountId null for any account of the tenant
 * @returns false if there is no session of this id
 */
export async function deleteSessionOfId(
  on: Queryable,
  { tenantId, accountId, sessionId }: { readonly tenantId: string; readonly accountId: string | null; readonly sessionId: string },
): Promise<boolean> {
  const accounts = tables
    .selectFrom('account')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .$if(accountId !== null, (all) => all.where('id', '=', accountId));
  const { rowCount } = await run(on, tables.deleteFrom('session').where('account_id', 'in', accounts).where(SESSION_ID, '=', sessionId));
  return rowCount === 1;
}

export interface OpenSession {
  readonly sessionId: string;
  readonly digest: Buffer;
  readonly createdTsMs: number;
  readonly lastUsedTsMs: number;
  readonly expiresTsMs: number;
}

export async function findOpenSessions(
  on: Queryable,
  accountId: string,
  expiredTsMs: number,
  unusedSinceTsMs: number,
): Promise<OpenSession[]> {
  const { rows } = await run(
    on,
    tables
      .selectFrom('session')
      .select(['digest', 'created_at', 'last_used_at', 'expires_at', SESSION_ID.as('session_id')])
      .where('account_id', '=', accountId)
      .where('expires_at', '>', new Date(expiredTsMs))
      .where('last_used_at', '>', new Date(unusedSinceTsMs))
      .orderBy('created_at', 'desc')
      .orderBy('digest'),
  );
  return rows.map((row) => ({
    sessionId: row.session_id,
    digest: row.digest,
    createdTsMs: row.created_at.getTime(),
    lastUsedTsMs: row.last_used_at.getTime(),
    expiresTsMs: row.expires_at.getTime(),
  }));
}

export async function deleteSessionsOf(on: Queryable, accountId: string): Promise<number> {
  const { rowCount } = await run(on, tables.deleteFrom('session').where('account_id', '=', accountId));
  return rowCount ?? 0;
}

/** @returns number of ended sessions */
export async function deleteOtherSessionsOf(on: Queryable, accountId: string, keptDigest: Uint8Array): Promise<number> {
  const statement = tables.deleteFrom('session').where('account_id', '=', accountId).where('digest', '<>', Buffer.from(keptDigest));
  const { rowCount } = await run(on, statement);
  return rowCount ?? 0;
}

export async function deleteEndedSessions(on: Queryable, expiredTsMs: number, unusedSinceTsMs: number): Promise<number> {
  const { rowCount } = await run(
    on,
    tables
      .deleteFrom('session')
      .where((where) =>
        where.or([where('expires_at', '<=', new Date(expiredTsMs)), where('last_used_at', '<=', new Date(unusedSinceTsMs))]),
      ),
  );
  return rowCount ?? 0;
}
