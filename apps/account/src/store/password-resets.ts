import { type Queryable, run } from '@market-state/postgres';
import { tables } from './tables';

interface NewPasswordReset {
  readonly accountId: string;
  /** SHA-256 of the token. */
  readonly digest: Buffer;
  readonly createdTsMs: number;
  readonly expiresTsMs: number;
}

export async function replacePasswordReset(
  on: Queryable,
  { accountId, digest, createdTsMs, expiresTsMs }: NewPasswordReset,
): Promise<void> {
  const token = { digest, created_at: new Date(createdTsMs), expires_at: new Date(expiresTsMs) };
  await run(
    on,
    tables
      .insertInto('password_reset')
      .values({ account_id: accountId, ...token })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet(token)),
  );
}

export async function findPasswordReset(
  on: Queryable,
  digest: Buffer,
  nowMs: number,
): Promise<{ readonly accountId: string; readonly email: string } | null> {
  const { rows } = await run(
    on,
    tables
      .selectFrom('password_reset as r')
      .innerJoin('account as a', 'a.id', 'r.account_id')
      .select(['a.id', 'a.email'])
      .where('r.digest', '=', digest)
      .where('r.expires_at', '>', new Date(nowMs)),
  );
  return rows[0] === undefined ? null : { accountId: rows[0].id, email: rows[0].email };
}

export async function deletePasswordReset(on: Queryable, digest: Buffer, nowMs: number): Promise<boolean> {
  const { rowCount } = await run(
    on,
    tables.deleteFrom('password_reset').where('digest', '=', digest).where('expires_at', '>', new Date(nowMs)),
  );
  return rowCount === 1;
}

export async function deletePasswordResetOf(on: Queryable, accountId: string): Promise<void> {
  await run(on, tables.deleteFrom('password_reset').where('account_id', '=', accountId));
}
