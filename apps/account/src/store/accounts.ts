import type { MemberRole } from '@market-state/credentials';
import { type Queryable, run } from '@market-state/postgres';
import { type Selectable, sql } from 'kysely';
import type { StoredPlan } from '../credits/plan-terms';
import type { Account as AccountTable } from './generated/tables';
import { tables } from './tables';
import { PLAN_COLUMNS, toStoredPlan } from './tenants';

export interface StoredAccount {
  readonly id: string;
  readonly tenantId: string;
  readonly email: string;
  readonly passwordHash: string;
}

const ACCOUNT_COLUMNS = ['id', 'tenant_id', 'email', 'password_hash'] as const;

function toStoredAccount(row: Pick<Selectable<AccountTable>, (typeof ACCOUNT_COLUMNS)[number]>): StoredAccount {
  return { id: row.id, tenantId: row.tenant_id, email: row.email, passwordHash: row.password_hash };
}

export async function findAccountByEmail(on: Queryable, digests: readonly Buffer[]): Promise<StoredAccount | null> {
  const { rows } = await run(
    on,
    tables
      .selectFrom('account')
      .select([...ACCOUNT_COLUMNS, 'email_digest'])
      .where('email_digest', 'in', digests),
  );
  const row = digests.map((digest) => rows.find(({ email_digest: found }) => digest.equals(found))).find((found) => found !== undefined);
  return row === undefined ? null : toStoredAccount(row);
}

/** @param isLocked locks its row until the transaction ends */
export async function findAccount(on: Queryable, accountId: string, isLocked: boolean): Promise<StoredAccount | null> {
  const { rows } = await run(
    on,
    tables
      .selectFrom('account')
      .select(ACCOUNT_COLUMNS)
      .where('id', '=', accountId)
      .$if(isLocked, (statement) => statement.forUpdate()),
  );
  const [row] = rows;
  return row === undefined ? null : toStoredAccount(row);
}

/** Sets a verified email. Violates a unique constraint if another account has it. */
export async function writeEmail(
  on: Queryable,
  accountId: string,
  { email, emailDigest, nowMs }: { readonly email: string; readonly emailDigest: Buffer; readonly nowMs: number },
): Promise<void> {
  await run(
    on,
    tables
      .updateTable('account')
      .set({ email, email_digest: emailDigest, email_verified_at: sql<Date>`coalesce(email_verified_at, ${new Date(nowMs)})` })
      .where('id', '=', accountId),
  );
}

export async function lockAccount(on: Queryable, accountId: string): Promise<void> {
  await run(on, tables.selectFrom('account').select('id').where('id', '=', accountId).forUpdate());
}

/** Share-locks the account's tenant. Null if it is disabled or the account does not exist. */
export async function shareTenantOfAccount(
  on: Queryable,
  accountId: string,
): Promise<{ readonly tenantId: string; readonly role: MemberRole; readonly plan: StoredPlan } | null> {
  const { rows } = await run(
    on,
    tables
      .selectFrom('account as a')
      .innerJoin('tenant as t', 't.id', 'a.tenant_id')
      .select(['a.tenant_id', 'a.role', ...PLAN_COLUMNS])
      .where('a.id', '=', accountId)
      .where('t.disabled', '=', false)
      .forShare('t'),
  );
  const [row] = rows;
  return row === undefined ? null : { tenantId: row.tenant_id, role: row.role, plan: toStoredPlan(row) };
}

interface NewAccount {
  readonly id: string;
  readonly tenantId: string;
  readonly email: string;
  readonly emailDigest: Buffer;
  readonly passwordHash: string;
  readonly claimedKeyId: string | null;
  readonly createdTsMs: number;
  readonly isEmailVerified: boolean;
  /** Given by an invitation; null: claimed by its owner. */
  readonly invitedRole: MemberRole | null;
}

/** @returns false if the email already has an account or the key has claimed one */
export async function insertAccount(on: Queryable, account: NewAccount): Promise<boolean> {
  const createdAt = new Date(account.createdTsMs);
  const { rows } = await run(
    on,
    tables
      .insertInto('account')
      .values({
        id: account.id,
        tenant_id: account.tenantId,
        email: account.email,
        email_digest: account.emailDigest,
        password_hash: account.passwordHash,
        claimed_key_id: account.claimedKeyId,
        created_at: createdAt,
        email_verified_at: account.isEmailVerified ? createdAt : null,
        role: account.invitedRole ?? 'owner',
        invited: account.invitedRole !== null,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id'),
  );
  return rows.length === 1;
}

export async function writePassword(on: Queryable, accountId: string, passwordHash: string): Promise<void> {
  await run(on, tables.updateTable('account').set({ password_hash: passwordHash }).where('id', '=', accountId));
}

/** Compares and swaps the hash, which locks the row. @returns false if the hash changed */
export async function replacePassword(on: Queryable, accountId: string, readHash: string, newHash: string): Promise<boolean> {
  const { rowCount } = await run(
    on,
    tables.updateTable('account').set({ password_hash: newHash }).where('id', '=', accountId).where('password_hash', '=', readHash),
  );
  return rowCount === 1;
}

export async function findTenantOfUnverified(on: Queryable, accountId: string): Promise<string | null> {
  const { rows } = await run(
    on,
    tables.selectFrom('account').select('tenant_id').where('id', '=', accountId).where('email_verified_at', 'is', null),
  );
  return rows[0]?.tenant_id ?? null;
}

/** @returns null if it was already verified */
export async function markEmailVerified(
  on: Queryable,
  accountId: string,
  nowMs: number,
): Promise<{ readonly tenantId: string; readonly createdTsMs: number } | null> {
  const { rows } = await run(
    on,
    tables
      .updateTable('account')
      .set({ email_verified_at: new Date(nowMs) })
      .where('id', '=', accountId)
      .where('email_verified_at', 'is', null)
      .returning(['tenant_id', 'created_at']),
  );
  const [row] = rows;
  return row === undefined ? null : { tenantId: row.tenant_id, createdTsMs: row.created_at.getTime() };
}

/** Makes the account the owner of another tenant. */
export async function moveAccount(on: Queryable, accountId: string, tenantId: string): Promise<void> {
  await run(on, tables.updateTable('account').set({ tenant_id: tenantId, role: 'owner', invited: false }).where('id', '=', accountId));
}

export async function deleteOtherAccounts(on: Queryable, tenantId: string, keptAccountId: string): Promise<string[]> {
  const { rows } = await run(
    on,
    tables.deleteFrom('account').where('tenant_id', '=', tenantId).where('id', '<>', keptAccountId).returning('email'),
  );
  return rows.map(({ email }) => email);
}
