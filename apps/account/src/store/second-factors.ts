import { type Queryable, run } from '@market-state/postgres';
import { sql } from 'kysely';
import { tables } from './tables';

export interface StoredSecondFactor {
  readonly sealedSecret: Buffer;
  readonly createdTsMs: number;
  readonly isConfirmed: boolean;
}

export async function findSecondFactor(on: Queryable, accountId: string): Promise<StoredSecondFactor | null> {
  const { rows } = await run(
    on,
    tables.selectFrom('second_factor').select(['sealed_secret', 'created_at', 'confirmed_at']).where('account_id', '=', accountId),
  );
  const [row] = rows;
  if (row === undefined) return null;
  return {
    sealedSecret: row.sealed_secret,
    createdTsMs: row.created_at.getTime(),
    isConfirmed: row.confirmed_at !== null,
  };
}

/** Replaces an unconfirmed secret. @returns false if one is confirmed */
export async function replacePendingFactor(on: Queryable, accountId: string, sealedSecret: Buffer, nowMs: number): Promise<boolean> {
  const secret = { sealed_secret: sealedSecret, created_at: new Date(nowMs) };
  const { rowCount } = await run(
    on,
    tables
      .insertInto('second_factor')
      .values({ account_id: accountId, ...secret, recovery_digests: [] })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet(secret).where('second_factor.confirmed_at', 'is', null)),
  );
  return rowCount === 1;
}

export async function confirmFactor(on: Queryable, accountId: string, nowMs: number): Promise<void> {
  await run(
    on,
    tables
      .updateTable('second_factor')
      .set({ confirmed_at: new Date(nowMs) })
      .where('account_id', '=', accountId),
  );
}

/** @returns false if a code of this step or a later one was accepted */
export async function useStep(on: Queryable, accountId: string, step: number): Promise<boolean> {
  const { rowCount } = await run(
    on,
    tables.updateTable('second_factor').set({ last_step: step }).where('account_id', '=', accountId).where('last_step', '<', step),
  );
  return rowCount === 1;
}

/** @returns false if the account has no such unused code */
export async function useRecoveryCode(on: Queryable, accountId: string, digest: Buffer): Promise<boolean> {
  const { rowCount } = await run(
    on,
    tables
      .updateTable('second_factor')
      .set({ recovery_digests: sql`array_remove(recovery_digests, ${digest})` })
      .where('account_id', '=', accountId)
      .where(sql<boolean>`${digest} = ANY (recovery_digests)`),
  );
  return rowCount === 1;
}

export async function writeRecoveryCodes(on: Queryable, accountId: string, digests: readonly Buffer[]): Promise<void> {
  await run(
    on,
    tables
      .updateTable('second_factor')
      .set({ recovery_digests: [...digests] })
      .where('account_id', '=', accountId),
  );
}

/** @returns false if there is none */
export async function deleteSecondFactor(on: Queryable, accountId: string): Promise<boolean> {
  const { rowCount } = await run(on, tables.deleteFrom('second_factor').where('account_id', '=', accountId));
  return rowCount === 1;
}

export async function deletePendingFactors(on: Queryable, beforeMs: number): Promise<void> {
  await run(on, tables.deleteFrom('second_factor').where('confirmed_at', 'is', null).where('created_at', '<=', new Date(beforeMs)));
}
