import { type Queryable, run } from '@market-state/postgres';
import { tables } from './tables';

interface NewEmailChange {
  readonly accountId: string;
  readonly newEmail: string;
  readonly createdTsMs: number;
  readonly expiresTsMs: number;
}

/** Replaces the account's pending change, whose code becomes invalid. */
export async function replaceEmailChange(on: Queryable, { accountId, newEmail, createdTsMs, expiresTsMs }: NewEmailChange): Promise<void> {
  const change = { new_email: newEmail, digest: null, created_at: new Date(createdTsMs), expires_at: new Date(expiresTsMs) };
  await run(
    on,
    tables
      .insertInto('email_change')
      .values({ account_id: accountId, ...change })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet(change)),
  );
}

/** @returns false if this change is no longer pending */
export async function setChangeCode(
  on: Queryable,
  { accountId, newEmail, digest }: { readonly accountId: string; readonly newEmail: string; readonly digest: Buffer },
  nowMs: number,
): Promise<boolean> {
  const { rowCount } = await run(
    on,
    tables
      .updateTable('email_change')
      .set({ digest })
      .where('account_id', '=', accountId)
      .where('new_email', '=', newEmail)
      .where('expires_at', '>', new Date(nowMs)),
  );
  return rowCount === 1;
}

/** @returns the new email, or null if the code is not valid for the account */
export async function useChangeCode(on: Queryable, accountId: string, digest: Buffer, nowMs: number): Promise<string | null> {
  const { rows } = await run(
    on,
    tables
      .deleteFrom('email_change')
      .where('account_id', '=', accountId)
      .where('digest', '=', digest)
      .where('expires_at', '>', new Date(nowMs))
      .returning('new_email'),
  );
  return rows[0]?.new_email ?? null;
}
