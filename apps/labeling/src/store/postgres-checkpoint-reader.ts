import type { Pool } from 'pg';
import type { CheckpointHeader } from '../checkpoints/checkpoint';
import type { CheckpointReader } from '../checkpoints/checkpoint-reader';
import { readRows } from './reading';

const HEADER_COLUMNS = ['symbol', 'window_end_ms', 'epoch', 'ordinal', 'lineage_digest', 'policy_digest', 'state_digest'] as const;

type HeaderRow = Readonly<Record<Exclude<(typeof HEADER_COLUMNS)[number], 'epoch'>, string>> & { readonly epoch: number };

/** Stored checkpoints in Postgres. Failures that pass by themselves become UNAVAILABLE. */
export function createPostgresCheckpointReader(pool: Pool): CheckpointReader {
  return {
    async list({ symbol, fromMs, toMs }, afterMs, count) {
      const rows = await readRows<HeaderRow>(
        pool,
        `SELECT ${HEADER_COLUMNS.join(', ')} FROM checkpoint WHERE symbol = $1
           AND ($2::bigint IS NULL OR window_end_ms >= $2)
           AND ($3::bigint IS NULL OR window_end_ms < $3)
           AND ($4::bigint IS NULL OR window_end_ms > $4)
         ORDER BY window_end_ms LIMIT $5`,
        [symbol, fromMs, toMs, afterMs, count],
      );
      return rows.map(fromHeaderRow);
    },
    async find(symbol, windowEndMs) {
      const [row] = await readRows<HeaderRow & { readonly state: Buffer }>(
        pool,
        `SELECT ${HEADER_COLUMNS.join(', ')}, state FROM checkpoint WHERE symbol = $1 AND window_end_ms = $2`,
        [symbol, windowEndMs],
      );
      return row === undefined ? undefined : { ...fromHeaderRow(row), stateGzip: row.state };
    },
  };
}

function fromHeaderRow(row: HeaderRow): CheckpointHeader {
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
