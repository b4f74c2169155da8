import { WINDOW_MS } from '@market-state/market-data';
import { itemsOf } from '../queries/duckdb-table';

export interface RecipeStatement {
  readonly packetDigest: string;
  /** Levels a side that a book row keeps. */
  readonly depth: number;
  /** Newest rows of each channel that are given. */
  readonly limit: number;
  /** Files of rows: that of the window, and others with rows from before it. */
  readonly rowFiles: readonly string[];
  /** File of candles; null where they are not joined. */
  readonly candleFile: string | null;
  /** Channels of which the newest row joins alone, with the age at the window's end beyond which it does not, milliseconds. */
  readonly toleranceMs: Readonly<Record<string, number>>;
}

function ageLimit(toleranceMs: Readonly<Record<string, number>>): string {
  const cases = Object.entries(toleranceMs).map(([channel, ms]) => `WHEN '${channel}' THEN ${ms}`);
  return cases.length === 0 ? `${WINDOW_MS}` : `CASE rows.channel ${cases.join(' ')} ELSE ${WINDOW_MS} END`;
}

/** Of a channel whose rows hold on, the newest row is all there is to join. */
function placesOf(toleranceMs: Readonly<Record<string, number>>, limit: number): string {
  const holding = Object.keys(toleranceMs).map((channel) => `'${channel}'`);
  return holding.length === 0 ? `${limit}` : `CASE WHEN channel IN (${holding.join(', ')}) THEN 1 ELSE ${limit} END`;
}

function candleTable(file: string): string[] {
  const columns = ['open_time_utc', 'close_time_utc'].map(
    (name) => `CAST(item ->> '$.${name}' AS TIMESTAMP) AS ${name.replace('_utc', '')}`,
  );
  return [
    ', candles AS (',
    `  SELECT ${columns.join(', ')}, item ->> '$.close' AS candle_close, CAST(item ->> '$.trade_total' AS BIGINT) AS candle_trade_total`,
    `  FROM (${itemsOf(file, 'rows')})`,
    ')',
  ];
}

/**
 * A DuckDB statement that gives every row of a packet's window, one line a row in log order: rows up to the entry that closed it,
 * whose exchange time lies in it; and of what holds on until it is replaced the newest row, if it is not too old.
 */
export function recipeStatement({ packetDigest, depth, limit, rowFiles, candleFile, toleranceMs }: RecipeStatement): string {
  const levels = (side: string) => `CAST(item -> '$.row.${side}' AS VARCHAR[][])[1:${depth}] AS ${side}`;
  const values = ['price', 'size', 'aggressor_side', 'position_side', 'funding_rate', 'open_interest', 'mark_price'].map(
    (name) => `item ->> '$.row.${name}' AS ${name}`,
  );
  const candleColumns =
    candleFile === null ? [] : ['candles.open_time AS candle_open_time', 'candles.candle_close', 'candles.candle_trade_total'];
  return [
    'WITH items AS (',
    `  ${rowFiles.map((file) => itemsOf(file, 'rows')).join('\n  UNION ALL\n  ')}`,
    '), rows AS (',
    `  SELECT DISTINCT item ->> '$.channel' AS channel, CAST(item ->> '$.sequence' AS BIGINT) AS sequence,`,
    `    CAST(item ->> '$.exchange_time_utc' AS TIMESTAMP) AS exchange_time, item`,
    '  FROM items',
    '), packet AS (',
    `  SELECT sequence, exchange_time AS window_end, item ->> '$.packet.event_id' AS event_id, item ->> '$.packet.state' AS state`,
    `  FROM rows WHERE channel = 'packets' AND (item ->> '$.packet_digest') = '${packetDigest}'`,
    '), joined AS (',
    '  SELECT packet.event_id, packet.window_end, packet.state, rows.*,',
    '    row_number() OVER (PARTITION BY rows.channel ORDER BY rows.exchange_time DESC, rows.sequence DESC) AS place',
    `  FROM packet JOIN rows ON rows.channel <> 'packets' AND rows.sequence <= packet.sequence AND rows.exchange_time <= packet.window_end`,
    `    AND rows.exchange_time > packet.window_end - to_milliseconds(${ageLimit(toleranceMs)})`,
    ')',
    ...(candleFile === null ? [] : candleTable(candleFile)),
    `SELECT ${['event_id', 'window_end', 'state', 'channel', 'sequence', 'exchange_time', ...values, levels('bids'), levels('asks'), ...candleColumns].join(', ')}`,
    'FROM joined',
    ...(candleFile === null
      ? []
      : ['LEFT JOIN candles ON joined.exchange_time >= candles.open_time AND joined.exchange_time < candles.close_time']),
    `WHERE place <= ${placesOf(toleranceMs, limit)}`,
    'ORDER BY sequence;',
  ].join('\n');
}
