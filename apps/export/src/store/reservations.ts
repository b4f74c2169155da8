import { type Queryable, run } from '@market-state/postgres';
import { tables } from './tables';

/** Notes that credits are about to be reserved under an operation; done again it changes nothing. */
export async function noteReservation(on: Queryable, operationId: string, nowMs: number): Promise<void> {
  await run(
    on,
    tables
      .insertInto('reservation')
      .values({ operation_id: operationId, created_ms: String(nowMs) })
      .onConflict((conflict) => conflict.column('operation_id').doUpdateSet({ created_ms: String(nowMs) })),
  );
}

/** Ends the note. False when there was none: the credits were given back meanwhile. */
export async function endReservation(on: Queryable, operationId: string): Promise<boolean> {
  const { rowCount } = await run(on, tables.deleteFrom('reservation').where('operation_id', '=', operationId));
  return rowCount === 1;
}

/** Operations whose credits were reserved before `beforeMs` and have no job: whoever began them was killed. */
export async function listAbandoned(on: Queryable, beforeMs: number, limit: number): Promise<string[]> {
  const { rows } = await run<{ operation_id: string }>(
    on,
    tables.selectFrom('reservation').select('operation_id').where('created_ms', '<', String(beforeMs)).orderBy('created_ms').limit(limit),
  );
  return rows.map((row) => row.operation_id);
}
