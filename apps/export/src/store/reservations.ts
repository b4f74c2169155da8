import { type Queryable, run } from '@market-state/postgres';
import { tables } from './tables';

/** Records that credits are about to be reserved for an operation. Idempotent. */
export async function noteReservation(on: Queryable, operationId: string, nowMs: number): Promise<void> {
  await run(
    on,
    tables
      .insertInto('reservation')
      .values({ operation_id: operationId, created_ms: String(nowMs) })
      .onConflict((conflict) => conflict.column('operation_id').doUpdateSet({ created_ms: String(nowMs) })),
  );
}

/** Deletes the note. Returns false if there was none: the credits were released in the meantime. */
export async function endReservation(on: Queryable, operationId: string): Promise<boolean> {
  const { rowCount } = await run(on, tables.deleteFrom('reservation').where('operation_id', '=', operationId));
  return rowCount === 1;
}

/** Operations with credits reserved before `beforeMs` and no job: their process was killed. */
export async function listAbandoned(on: Queryable, beforeMs: number, limit: number): Promise<string[]> {
  const { rows } = await run<{ operation_id: string }>(
    on,
    tables.selectFrom('reservation').select('operation_id').where('created_ms', '<', String(beforeMs)).orderBy('created_ms').limit(limit),
  );
  return rows.map((row) => row.operation_id);
}
