import { decodeEvent, encodeEvent, type FeedStatusEvent } from '@market-state/market-data';
import type { Pool, PoolClient } from 'pg';

export async function writeConnection(client: PoolClient, event: FeedStatusEvent): Promise<void> {
  await client.query(
    `INSERT INTO feed_connection (symbol, ordinal, payload) VALUES ($1, $2, $3)
     ON CONFLICT (symbol) DO UPDATE SET ordinal = excluded.ordinal, payload = excluded.payload
     WHERE feed_connection.ordinal < excluded.ordinal`,
    [event.symbol, event.ordinal, Buffer.from(encodeEvent(event))],
  );
}

export async function readConnection(pool: Pool, symbol: string): Promise<FeedStatusEvent | undefined> {
  const { rows } = await pool.query<{ payload: Buffer }>('SELECT payload FROM feed_connection WHERE symbol = $1', [symbol]);
  const [row] = rows;
  if (row === undefined) return undefined;
  const event = decodeEvent(row.payload);
  return event.kind === 'feed_status' ? event : undefined;
}
