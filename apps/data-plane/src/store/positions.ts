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

/** How far a consumer has committed; the start of the log when it has committed nothing. */
export async function readPosition(db: Pool | PoolClient, consumer: string, symbol: string): Promise<EntryId> {
  const { rows } = await db.query<PositionRow>('SELECT epoch, ordinal FROM consumer_position WHERE consumer = $1 AND symbol = $2', [consumer, symbol]);
  return toEntryId(rows[0]);
}

/** The same, locked against other writers until the transaction ends. */
export async function lockPosition(client: PoolClient, consumer: string, symbol: string): Promise<EntryId> {
  const { rows } = await client.query<PositionRow>(
    `INSERT INTO consumer_position (consumer, symbol, epoch, ordinal) VALUES ($1, $2, 0, 0)
     ON CONFLICT (consumer, symbol) DO UPDATE SET epoch = consumer_position.epoch
     RETURNING epoch, ordinal`,
    [consumer, symbol],
  );
  return toEntryId(rows[0]);
}

export async function writePosition(client: PoolClient, consumer: string, symbol: string, { epoch, ordinal }: EntryId): Promise<void> {
  await client.query('UPDATE consumer_position SET epoch = $3, ordinal = $4 WHERE consumer = $1 AND symbol = $2', [consumer, symbol, epoch, ordinal]);
}
