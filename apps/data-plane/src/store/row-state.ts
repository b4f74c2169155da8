import { type Channel, decodeEvent, encodeEvent, type FeedStatusEvent } from '@market-state/market-data';
import { selectRows } from '@market-state/postgres';
import type { Pool, PoolClient } from 'pg';

/** Needed to flag the next entry, or after the log's first hours are deleted. Times are epoch milliseconds. */
export interface RowState {
  readonly ordinal: number;
  readonly clockMs: number | null;
  /** Start of the log's first window: earlier events belong to no window. Null before the first tick. */
  readonly firstWindowStartMs: number | null;
  readonly closingLagMs: number | null;
  readonly isSynthetic: boolean;
  /** The next book starts a whole one. */
  readonly isSnapshotDue: boolean;
  readonly firstBookMs: number | null;
  /** Channels cut by a gap and without a row since. */
  readonly cut: readonly Channel[];
}

export const FIRST_ROW_STATE: RowState = {
  ordinal: 0,
  clockMs: null,
  firstWindowStartMs: null,
  closingLagMs: null,
  isSynthetic: false,
  isSnapshotDue: false,
  firstBookMs: null,
  cut: [],
};

/** State at a stored position. For rows older than this table, it is derived from other stored data. */
export async function readRowState(pool: Pool, symbol: string, ordinal: number): Promise<RowState> {
  if (ordinal === 0) return FIRST_ROW_STATE;
  const { rows } = await pool.query<{ state: RowState }>('SELECT state FROM row_state WHERE symbol = $1', [symbol]);
  return rows[0]?.state ?? stateOfRows(pool, symbol, ordinal);
}

async function stateOfRows(pool: Pool, symbol: string, ordinal: number): Promise<RowState> {
  const text = `
    SELECT max(max_exchange_ms) FILTER (WHERE channel = 'control') AS clock_ms,
      min(min_exchange_ms) FILTER (WHERE channel = 'control') AS first_window_start_ms,
      min(min_exchange_ms) FILTER (WHERE channel = 'book') AS first_book_ms
    FROM channel_hour WHERE symbol = $1`;
  type Times = { readonly [name in 'clockMs' | 'firstWindowStartMs' | 'firstBookMs']: number | undefined };
  const [times] = await selectRows<Times>(pool, { text, values: [symbol] });
  const connection = await readConnection(pool, symbol);
  const facts = connection?.status.type === 'connected' ? connection.status : undefined;
  return {
    ...FIRST_ROW_STATE,
    ordinal,
    clockMs: times?.clockMs ?? null,
    firstWindowStartMs: times?.firstWindowStartMs ?? null,
    closingLagMs: facts?.closingLagMs ?? null,
    isSynthetic: facts?.sourceKind === 'simulated',
    firstBookMs: times?.firstBookMs ?? null,
  };
}

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
