import { inTransaction } from '@market-state/postgres';
import type { Pool, PoolClient } from 'pg';
import { reading } from './store-failure';

/** One-minute candle of the trades recorded. Decimals as plain strings. */
export interface CandleRow {
  readonly openMs: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
  readonly notional: string;
  readonly tradeTotal: number;
}

/** Span of a gap on the trade channel; `endMs` Infinity while it is open. */
export interface GapSpan {
  readonly startMs: number;
  readonly endMs: number;
}

/** What the rows say of a span of minutes, all of one instant. */
export interface CandleSpan {
  /** Exchange time of the first trade retained; undefined when there is none. */
  readonly firstTradeMs: number | undefined;
  /** Exchange time from which the retained rows are whole: that of the first book; undefined before it. */
  readonly wholeFromMs: number | undefined;
  /** Feed clock up to which the log is recorded; undefined before the first control entry. */
  readonly recordedClockMs: number | undefined;
  /** Minutes with at least one trade, oldest first. */
  readonly rows: readonly CandleRow[];
  readonly gaps: readonly GapSpan[];
}

export interface CandleQuery {
  readonly symbol: string;
  /** Inclusive, a whole minute. */
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
  /** Quote currency value of one contract: what a trade's venue size counts. */
  readonly contractValue: string;
  /** Time the database has, milliseconds. */
  readonly timeoutMs: number;
}

// Venue ids that are numbers are compared as numbers, whatever their length; others by their bytes. On an inverse contract the notional is
// contracts × contract value: exact, where price × size carries the rounding of the size.
const CANDLES = `
  SELECT open_ms, prices[1] AS open, high, low, prices[cardinality(prices)] AS close, volume, notional, trade_total
  FROM (
    SELECT exchange_ts_ms / 60000 * 60000 AS open_ms,
      array_agg(trim_scale(price)::text ORDER BY exchange_ts_ms, pass, CASE WHEN venue_id ~ '^[0-9]+$' THEN venue_id::numeric END, venue_id COLLATE "C") AS prices,
      trim_scale(max(price))::text AS high,
      trim_scale(min(price))::text AS low,
      trim_scale(sum(size))::text AS volume,
      trim_scale(sum(coalesce(venue_size * $4::numeric, price * size)))::text AS notional,
      count(*)::int AS trade_total
    FROM log_entry
    WHERE symbol = $1 AND channel = 'trade' AND exchange_ts_ms >= $2 AND exchange_ts_ms < $3
    GROUP BY 1
  ) AS minute
  ORDER BY open_ms`;

const GAPS = `
  SELECT start_ms, end_ms FROM gap
  WHERE symbol = $1 AND (channel IS NULL OR channel = 'trade') AND start_ms < $3 AND (end_ms = 0 OR greatest(start_ms, end_ms) > $2)`;

const EDGES = `
  SELECT (SELECT min(exchange_ts_ms) FROM log_entry WHERE symbol = $1 AND channel = 'trade') AS first_trade_ms,
         (SELECT min(exchange_ts_ms) FROM log_entry WHERE symbol = $1 AND channel = 'book') AS whole_from_ms,
         (SELECT max(exchange_ts_ms) FROM log_entry WHERE symbol = $1 AND channel = 'control') AS recorded_clock_ms`;

/** Reads candles, gaps and edges of one span as of one instant. Rejects as `storeFailure` says. */
export function readCandles(pool: Pool, query: CandleQuery): Promise<CandleSpan> {
  const work = inTransaction(pool, async (client) => {
    await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    await client.query(`SELECT set_config('statement_timeout', $1, true)`, [String(Math.max(1, Math.floor(query.timeoutMs)))]);
    return { ...(await readEdges(client, query.symbol)), rows: await readRows(client, query), gaps: await readGaps(client, query) };
  });
  return reading(work);
}

async function readEdges(client: PoolClient, symbol: string): Promise<Pick<CandleSpan, 'firstTradeMs' | 'wholeFromMs' | 'recordedClockMs'>> {
  const { rows } = await client.query<{ first_trade_ms: string | null; whole_from_ms: string | null; recorded_clock_ms: string | null }>(EDGES, [symbol]);
  const edges = rows[0];
  return {
    firstTradeMs: toNumber(edges?.first_trade_ms),
    wholeFromMs: toNumber(edges?.whole_from_ms),
    recordedClockMs: toNumber(edges?.recorded_clock_ms),
  };
}

async function readRows(client: PoolClient, { symbol, fromMs, toMs, contractValue }: CandleQuery): Promise<CandleRow[]> {
  const { rows } = await client.query<Omit<CandleRow, 'openMs' | 'tradeTotal'> & { open_ms: string; trade_total: number }>(CANDLES, [symbol, fromMs, toMs, contractValue]);
  return rows.map(({ open_ms, trade_total, ...row }) => ({ ...row, openMs: Number(open_ms), tradeTotal: trade_total }));
}

async function readGaps(client: PoolClient, { symbol, fromMs, toMs }: CandleQuery): Promise<GapSpan[]> {
  const { rows } = await client.query<{ start_ms: string; end_ms: string }>(GAPS, [symbol, fromMs, toMs]);
  return rows.map((row) => {
    const startMs = Number(row.start_ms);
    return { startMs, endMs: row.end_ms === '0' ? Infinity : Math.max(startMs, Number(row.end_ms)) };
  });
}

function toNumber(value: string | null | undefined): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}
