import { type EntryId, LOG_START } from '@market-state/event-log';
import type { Pool } from 'pg';

export const RECORDER = 'recorder';

interface PositionRow {
  readonly epoch: number;
  readonly ordinal: string;
}

function toEntryId(row: PositionRow | undefined): EntryId {
  return row === undefined ? LOG_START : { epoch: row.epoch, ordinal: Number(row.ordinal) };
}

/** Committed position; initially the start of the log. Creates the row that `writeTotals` updates. */
export async function readPosition(pool: Pool, consumer: string, symbol: string): Promise<EntryId> {
  const { rows } = await pool.query<PositionRow>(
    `INSERT INTO consumer_position (consumer, symbol, epoch, ordinal) VALUES ($1, $2, 0, 0)
     ON CONFLICT (consumer, symbol) DO UPDATE SET epoch = consumer_position.epoch
     RETURNING epoch, ordinal`,
    [consumer, symbol],
  );
  return toEntryId(rows[0]);
}
