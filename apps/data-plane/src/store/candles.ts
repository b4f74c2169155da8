import {
  type CandleRow,
  type CandleSpan,
  type CandleGap,
  joinCandles,
  openAtOrBefore,
  toCandleRows,
  TradeCandles,
} from '@market-state/live-market';
import { decodeEvent, ROW_FLAG, MINUTE_MS } from '@market-state/market-data';
import { inTransaction, selectRows } from '@market-state/postgres';
import type { PoolClient } from 'pg';
import { readWindowRows, type WindowReaderDeps } from './window-reader';
import { LEDGER_THEN } from './gaps';
import { RECORDER, FIRST_BOOK_MS } from './recorded';
import { reading } from './store-failure';

export interface CandleQuery {
  readonly symbol: string;
  /** Candles open at its multiples. */
  readonly intervalMs: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** Limits the candles, starting at the first recorded trade; undefined: the whole span. */
  readonly candlesMax?: number;
  /** Excludes trades received, and facts known, later; undefined: now. */
  readonly asOfMs: number | undefined;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

const READ_ROWS = 5_000;
/** Larger leads over the receive time are rejected at ingestion. */
const AHEAD_MS_MAX = 5_000;

const STORED = `
  SELECT open_ms / $4 * $4 AS open_ms, trim_scale((array_agg(open ORDER BY open_ms))[1]) AS open, trim_scale(max(high)) AS high,
    trim_scale(min(low)) AS low,
    trim_scale((array_agg(close ORDER BY open_ms DESC))[1]) AS close, trim_scale(sum(volume)) AS volume,
    trim_scale(sum(notional)) AS notional, sum(trade_total)::bigint AS trade_total, coalesce(max(last_received_ms), 0) AS last_received_ms
  FROM candle_minute WHERE symbol = $1 AND open_ms >= $2 AND open_ms < $3
  GROUP BY 1 ORDER BY 1`;

// Integer venue ids sort first by value, then others by bytes.
const FROM_TRADES = `
  SELECT open_ms, prices[1] AS open, high, low, prices[cardinality(prices)] AS close, volume, notional, trade_total, last_received_ms
  FROM (
    SELECT exchange_ts_ms / $4 * $4 AS open_ms,
      array_agg(trim_scale(price) ORDER BY exchange_ts_ms, pass, CASE WHEN venue_id ~ '^[0-9]+$' THEN venue_id::numeric END,
      venue_id COLLATE "C", ordinal) AS prices,
      trim_scale(max(price)) AS high,
      trim_scale(min(price)) AS low,
      trim_scale(sum(size)) AS volume,
      trim_scale(sum(coalesce(venue_size * (SELECT contract_value FROM served_instrument WHERE symbol = $1), price * size))) AS notional,
      count(*) AS trade_total,
      max(received_ts_ms) AS last_received_ms
    FROM log_entry
    WHERE symbol = $1 AND channel = 'trade' AND exchange_ts_ms >= $2 AND exchange_ts_ms < $3 AND received_ts_ms <= $5
      AND flags & ${ROW_FLAG.duplicate} = 0
    GROUP BY 1
  ) AS candle
  ORDER BY open_ms`;

const GAPS = `
  SELECT start_ms, end_ms FROM (${LEDGER_THEN}) AS ledger
  WHERE (channel IS NULL OR channel = 'trade') AND (end_ms = 0 OR end_ms > $2 OR end_ms <= start_ms AND start_ms >= $2) AND resolution <> 'withdrawn'`;

const EDGES = `
  SELECT (SELECT min(open_ms) FROM candle_minute WHERE symbol = $1) AS first_trade_ms,
         ${FIRST_BOOK_MS} AS whole_from_ms,
         least((SELECT max(max_exchange_ms) FROM channel_hour WHERE symbol = $1 AND channel = 'control'), $2) AS recorded_clock_ms,
         (SELECT contract_value FROM served_instrument WHERE symbol = $1) AS contract_value,
         coalesce((SELECT hot_from_ms FROM retention WHERE channel = 'trade'), 0) AS hot_from_ms,
         (SELECT min(min_exchange_ms) FROM channel_hour WHERE symbol = $1 AND channel = 'trade'
         AND hour_ms + 3600000 > $2) AS open_from_ms,
         coalesce(recorded.epoch, 0) AS recorded_epoch, coalesce(recorded.ordinal, 0) AS recorded_ordinal
  FROM (SELECT 1) AS one LEFT JOIN consumer_position AS recorded ON recorded.consumer = '${RECORDER}' AND recorded.symbol = $1`;

interface Edges {
  readonly firstTradeMs: number | undefined;
  readonly wholeFromMs: number | undefined;
  readonly recordedClockMs: number | undefined;
  readonly contractValue: string | undefined;
  readonly hotFromMs: number;
  /** Earlier minutes contain no trade received after `asOfMs`. */
  readonly settledToMs: number;
  readonly recorded: CandleSpan['recorded'];
}

/**
 * Sums stored minutes up to the first that may contain trades received after `asOfMs`, and computes the rest from
 * trades. Rejects as `storeFailure`, and as `readWindowRows` if archived trades are needed.
 */
export async function readCandles(deps: WindowReaderDeps, query: CandleQuery): Promise<CandleSpan> {
  const asOfMs = query.asOfMs ?? Number.MAX_SAFE_INTEGER;
  const read = await reading(
    inTransaction(deps.pool, async (client) => {
      // Lock before reading: otherwise a day dropped later would be missing, although the retention read here says it
      // is hot.
      await client.query(`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY; LOCK TABLE ONLY log_entry_trade IN ACCESS SHARE MODE;
        SET LOCAL statement_timeout = ${Math.max(1, Math.floor(query.timeoutMs))}`);
      const edges = await readEdges(client, query.symbol, asOfMs);
      const { settledToMs, hotFromMs } = edges;
      const span = withinPage(query, edges);
      const { fromMs, toMs } = span;
      const stored = await readRows(client, STORED, query, fromMs, Math.min(toMs, settledToMs));
      const hot = await readRows(
        client,
        FROM_TRADES,
        query,
        Math.max(fromMs, settledToMs, hotFromMs),
        Math.min(toMs, asOfMs + AHEAD_MS_MAX + 1),
        asOfMs,
      );
      return { edges, span, stored, hot, gaps: await readGaps(client, { ...query, ...span }, asOfMs) };
    }),
  );
  const { firstTradeMs, wholeFromMs, recordedClockMs, recorded } = read.edges;
  const archived = await archivedRows(deps, { ...query, ...read.span }, read.edges, asOfMs);
  return {
    ...read.span,
    firstTradeMs,
    wholeFromMs,
    recordedClockMs,
    recorded,
    rows: joinCandles([...read.stored, ...archived, ...read.hot]),
    gaps: read.gaps,
  };
}

function withinPage({ fromMs, toMs, intervalMs, candlesMax }: CandleQuery, { firstTradeMs }: Edges): Pick<CandleSpan, 'fromMs' | 'toMs'> {
  if (candlesMax === undefined) return { fromMs, toMs };
  const firstMs = Math.max(fromMs, openAtOrBefore(firstTradeMs ?? 0, intervalMs));
  return { fromMs: firstMs, toMs: Math.min(toMs, firstMs + candlesMax * intervalMs) };
}

async function archivedRows(
  deps: WindowReaderDeps,
  query: CandleQuery,
  { settledToMs, hotFromMs, contractValue }: Edges,
  asOfMs: number,
): Promise<CandleRow[]> {
  const fromMs = Math.max(query.fromMs, settledToMs);
  const toMs = Math.min(query.toMs, hotFromMs, asOfMs + AHEAD_MS_MAX + 1);
  if (fromMs >= toMs) return [];
  const candles = new TradeCandles(query.intervalMs);
  const window = {
    symbol: query.symbol,
    startMs: fromMs,
    endMs: toMs,
    channels: ['trade'],
    asOfMs,
    toOrdinal: Number.MAX_SAFE_INTEGER,
    limit: READ_ROWS,
  } as const;
  for (let afterOrdinal = 0; ; ) {
    query.signal?.throwIfAborted();
    const rows = await readWindowRows(deps, { ...window, afterOrdinal });
    for (const { payload } of rows) {
      const event = decodeEvent(payload);
      if (event.kind === 'trade') candles.add(event);
    }
    if (rows.length < READ_ROWS) break;
    afterOrdinal = rows.at(-1)?.ordinal ?? afterOrdinal;
  }
  return toCandleRows(candles.list(), contractValue);
}

type EdgeColumns = Omit<Edges, 'settledToMs' | 'recorded'> & {
  readonly openFromMs: number | undefined;
  readonly recordedEpoch: number;
  readonly recordedOrdinal: number;
};

async function readEdges(client: PoolClient, symbol: string, asOfMs: number): Promise<Edges> {
  const [row] = await selectRows<EdgeColumns>(client, { text: EDGES, values: [symbol, asOfMs] });
  if (row === undefined) throw new Error(`no edges of the candles of ${symbol}`);
  const { openFromMs, recordedEpoch: epoch, recordedOrdinal: ordinal, ...edges } = row;
  const settledToMs = openFromMs === undefined ? Infinity : Math.floor(openFromMs / MINUTE_MS) * MINUTE_MS;
  return { ...edges, recorded: { epoch, ordinal }, settledToMs };
}

async function readRows(
  client: PoolClient,
  text: string,
  { symbol, intervalMs }: CandleQuery,
  fromMs: number,
  toMs: number,
  ...more: number[]
): Promise<CandleRow[]> {
  if (fromMs >= toMs) return [];
  return selectRows<CandleRow>(client, { text, values: [symbol, fromMs, toMs, intervalMs, ...more] });
}

async function readGaps(client: PoolClient, { symbol, fromMs, toMs }: CandleQuery, asOfMs: number): Promise<CandleGap[]> {
  const gaps = await selectRows<CandleGap>(client, { text: GAPS, values: [symbol, fromMs, toMs, asOfMs] });
  return gaps.map(({ startMs, endMs }) => ({ startMs, endMs: endMs === 0 ? Infinity : Math.max(startMs, endMs) }));
}
