import type { Queryable } from '@market-state/postgres';

export type DatedRows =
  | { readonly table: 'provider_event'; readonly column: 'received_at' }
  | { readonly table: 'outbox'; readonly column: 'taken_at' }
  | { readonly table: 'known_address'; readonly column: 'seen_at' };

/** Rows with a null time stay. */
export async function deleteOldRows(on: Queryable, { table, column }: DatedRows, beforeMs: number, rowsMax: number): Promise<number> {
  const { rowCount } = await on.query(`DELETE FROM ${table} WHERE ctid IN (SELECT ctid FROM ${table} WHERE ${column} < $1 LIMIT $2)`, [
    new Date(beforeMs),
    rowsMax,
  ]);
  return rowCount ?? 0;
}
