import type { Pool } from 'pg';
import type { CheckpointReader, CheckpointHeader } from '../checkpoints/checkpoint';
import { readRows } from './reading';

export const CHECKPOINT_HEADER_COLUMNS = [
  'symbol',
  'window_end_ms',
  'epoch',
  'ordinal',
  'lineage_digest',
  'policy_digest',
  'state_digest',
] as const;

/** The driver returns 64-bit integers as text. */
type CheckpointHeaderRow = Readonly<Record<Exclude<(typeof CHECKPOINT_HEADER_COLUMNS)[number], 'epoch'>, string>> & {
  readonly epoch: number;
};

function fromCheckpointHeaderRow(row: CheckpointHeaderRow): CheckpointHeader {
  return {
    symbol: row.symbol,
    windowEndMs: Number(row.window_end_ms),
    epoch: row.epoch,
    ordinal: Number(row.ordinal),
    lineageDigest: row.lineage_digest,
    policyDigest: row.policy_digest,
    stateDigest: row.state_digest,
  };
}

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
