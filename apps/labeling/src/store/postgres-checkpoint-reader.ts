import type { Pool } from 'pg';
import type { CheckpointReader } from '../checkpoints/checkpoint-reader';
import { CHECKPOINT_HEADER_COLUMNS, type CheckpointHeaderRow, fromCheckpointHeaderRow } from './checkpoint-row';
import { readRows } from './reading';

/** Checkpoints in Postgres. Failures that pass by themselves become UNAVAILABLE. */
export function createPostgresCheckpointReader(pool: Pool): CheckpointReader {
  return {
    async list({ symbol, fromMs, toMs }, count) {
      const rows = await readRows<CheckpointHeaderRow>(
        pool,
        `SELECT ${CHECKPOINT_HEADER_COLUMNS.join(', ')} FROM checkpoint WHERE symbol = $1
           AND ($2::bigint IS NULL OR window_end_ms >= $2)
           AND ($3::bigint IS NULL OR window_end_ms < $3)
         ORDER BY window_end_ms LIMIT $4`,
        [symbol, fromMs, toMs, count],
      );
      return rows.map(fromCheckpointHeaderRow);
    },
    async find(symbol, windowEndMs) {
      const [row] = await readRows<CheckpointHeaderRow & { readonly state: Buffer }>(
        pool,
        `SELECT ${CHECKPOINT_HEADER_COLUMNS.join(', ')}, state FROM checkpoint WHERE symbol = $1 AND window_end_ms = $2`,
        [symbol, windowEndMs],
      );
      return row === undefined ? undefined : { ...fromCheckpointHeaderRow(row), stateGzip: row.state };
    },
  };
}
