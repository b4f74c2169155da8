import { type EntryId, LOG_START } from '@market-state/event-log';
import type { Pool, PoolClient } from 'pg';

/** Name under which the recorder keeps and publishes its position. */
export const RECORDER = 'recorder';

interface PositionRow {
  readonly epoch: number;
  readonly ordinal: string;
}

function toEntryId(row: PositionRow | undefined): EntryId {
  return row === undefined ? LOG_START : { epoch: row.epoch, ordinal: Number(row.ordinal) };
}

/** How far a consumer has committed; the start of the log when it has committed nothing. Makes the row that `movePosition` needs. */
export async function readPosition(pool: Pool, consumer: string, symbol: string): Promise<EntryId> {
  const { rows } = await pool.query<PositionRow>(
    `INSERT INTO consumer_position (consumer, symbol, epoch, ordinal) VALUES ($1, $2, 0, 0)
     ON CONFLICT (consumer, symbol) DO UPDATE SET epoch = consumer_position.epoch
     RETURNING epoch, ordinal`,
    [consumer, symbol],
  );
  return toEntryId(rows[0]);
}

/** Moves a position in the open transaction; false when it does not stand at `from` any more. */
export async function movePosition(client: PoolClient, consumer: string, symbol: string, from: EntryId, to: EntryId): Promise<boolean> {
  const { rowCount } = await client.query(
    'UPDATE consumer_position SET epoch = $5, ordinal = $6 WHERE consumer = $1 AND symbol = $2 AND epoch = $3 AND ordinal = $4',
    [consumer, symbol, from.epoch, from.ordinal, to.epoch, to.ordinal],
  );
  return rowCount === 1;
}
