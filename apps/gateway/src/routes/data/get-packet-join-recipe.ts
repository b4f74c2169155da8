import { WINDOW_MS } from '@market-state/market-data';
import { servedSymbol } from '../../clients/market-data-client';
import { newestPacket } from '../../clients/packet-client';
import type { ReadDeps } from '../../clients/upstreams';
import { dataAnswer } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/answers/handler';
import { jsonRepresentation } from '../../serving/http/representation';
import { toUtc } from '../../serving/meta/meta';
import type { Described } from '../../serving/openapi/document';
import {
  type ChannelJoin,
  channelJoins,
  fetchWindow,
  type JoinFetch,
  joinSource,
  joinWindow,
  packetOfSymbol,
  type PacketWindow,
  replayBounds,
  toPublicFetch,
  windowOfPacket,
} from './channel-joins';
import { itemsOf } from './queries/tables';

function toStep(baseUrl: string) {
  return (step: RecipeStep, index: number): Described<'RecipeStep'> => ({
    step: index + 1,
    step_id: step.stepId,
    purpose: step.purpose,
    ...toPublicFetch(step, baseUrl),
    ...step.credits,
  });
}

export function getPacketJoinRecipe({ marketData, packets, baseUrl }: ReadDeps): Handler<'getPacketJoinRecipe'> {
  return async ({ operation, grant, input: { query } }) => {
    const eventId = query.event_id;
    if (eventId === '') await servedSymbol(marketData, query.symbol);
    const packet =
      eventId === '' ? await newestPacket(packets, query.symbol, 0) : await packetOfSymbol({ marketData, packets }, eventId, query.symbol);
    const [symbol, freshness] = await Promise.all([
      servedSymbol(marketData, packet.symbol),
      marketData.call.getFreshness({ symbol: packet.symbol }),
    ]);
    const joins = channelJoins(symbol, freshness).filter((join) => join.reported);
    const wishes = {
      symbol: packet.symbol,
      window: windowOfPacket(packet),
      joins,
      includeTrades: query['include_trades'] === true,
      includeCandles: query['include_candles'] === true,
      depth: query.depth,
      limit: query.limit,
    };
    const steps = recipeSteps(wishes);
    const fetched = new Set(steps.map(({ output }) => output));
    const rowFiles = [WINDOW_FILE, CONTEXT_FILE].filter((file) => fetched.has(file));
    const candleFile = fetched.has(CANDLE_FILE) ? CANDLE_FILE : null;
    const toleranceMs = Object.fromEntries(
      joins.filter(({ channel }) => channel === 'context').map((join) => [join.channel, join.toleranceMs]),
    );
    const statement = recipeStatement({
      packetDigest: packet.packetDigest,
      depth: wishes.depth,
      limit: wishes.limit,
      rowFiles,
      candleFile,
      toleranceMs,
    });
    const source = joinSource(packet, symbol, freshness);
    return jsonRepresentation(
      dataAnswer({ operation, grant }, source, {
        event_id: packet.eventId,
        packet_id: packet.packetId,
        window: joinWindow(wishes.window),
        include_trades: wishes.includeTrades,
        include_candles: wishes.includeCandles,
        depth: wishes.depth,
        limit: wishes.limit,
        steps: steps.map(toStep(baseUrl())),
        sql: { dialect: 'duckdb' as const, reads: [...rowFiles, ...(candleFile === null ? [] : [candleFile])], statement },
        estimated_market_state_credit_cost: steps.reduce((sum, { credits }) => sum + credits.estimated_market_state_credit_cost, 0),
      }),
    );
  };
}

/** Maximum cost of a call in market-state credits, and its formula. */
interface CreditEstimate {
  readonly workload_family: Described<'RecipeStep'>['workload_family'];
  readonly estimated_market_state_credit_cost: number;
  readonly estimate_basis: string;
}

/** `market_data_latest`: 1 + floor(units / 250); units is the requested depth or limit. */
function latestEstimate(parameter: string, units: number): CreditEstimate {
  return {
    workload_family: 'market_data_latest',
    estimated_market_state_credit_cost: 1 + Math.floor(units / 250),
    estimate_basis: `1 + floor(${parameter} ${units} / 250)`,
  };
}

/** `market_data_candles`: 1 + ceil(rows / 500); rows is the number of candles. */
function candlesEstimate(rows: number): CreditEstimate {
  return {
    workload_family: 'market_data_candles',
    estimated_market_state_credit_cost: 1 + Math.ceil(rows / 500),
    estimate_basis: `1 + ceil(${rows} candles of the window / 500)`,
  };
}

/** `market_data_replay_window`: 2 + ceil(rows / 1,000); rows is a full page. */
function replayEstimate(): CreditEstimate {
  return {
    workload_family: 'market_data_replay_window',
    estimated_market_state_credit_cost: 2 + 5,
    estimate_basis: '2 + ceil(5,000 rows a page at most / 1,000)',
  };
}

interface RecipeWishes {
  readonly symbol: string;
  readonly window: PacketWindow;
  /** Only channels that the venue reports. */
  readonly joins: readonly ChannelJoin[];
  readonly includeTrades: boolean;
  readonly includeCandles: boolean;
  readonly depth: number;
  readonly limit: number;
}

interface RecipeStep extends JoinFetch {
  readonly stepId: string;
  readonly purpose: string;
  readonly credits: CreditEstimate;
}

const DATA = '/api/public/data';
const MINUTE_MS = 60_000;

const WINDOW_FILE = 'market_state_window.json';
const CONTEXT_FILE = 'market_state_context.json';
const CANDLE_FILE = 'market_state_candles.json';

/** The whole minutes that contain the window. */
function minutesOf({ startMs, endMs }: PacketWindow): { readonly fromMs: number; readonly toMs: number } {
  return { fromMs: Math.floor(startMs / MINUTE_MS) * MINUTE_MS, toMs: (Math.floor(endMs / MINUTE_MS) + 1) * MINUTE_MS };
}

function windowStep({ symbol, window, joins, includeTrades }: RecipeWishes): RecipeStep {
  const rows = joins.map(({ channel }) => channel).filter((channel) => channel !== 'context' && (channel !== 'trades' || includeTrades));
  return {
    stepId: 'window_rows',
    purpose: 'The packet and the rows of its window, in log order.',
    path: `${DATA}/replay/window`,
    parameters: { symbol, ...replayBounds(window), channels: [...rows, 'packets'].join(',') },
    output: WINDOW_FILE,
    credits: replayEstimate(),
  };
}

function contextStep({ symbol, window, joins }: RecipeWishes): RecipeStep[] {
  const context = joins.find(({ channel }) => channel === 'context');
  if (context === undefined) return [];
  return [
    {
      stepId: 'context_rows',
      purpose: 'Funding, open interest and mark price: the newest values at the end of the window.',
      path: `${DATA}/replay/window`,
      parameters: { symbol, ...replayBounds(fetchWindow(context, window)), channels: 'context' },
      output: CONTEXT_FILE,
      credits: replayEstimate(),
    },
  ];
}

function candleStep({ symbol, window }: RecipeWishes): RecipeStep {
  const { fromMs, toMs } = minutesOf(window);
  return {
    stepId: 'candles',
    purpose: 'The one-minute candles that contain the window.',
    path: `${DATA}/candles`,
    parameters: { symbol, tf: '1m', from: toUtc(fromMs), to: toUtc(toMs) },
    output: CANDLE_FILE,
    credits: candlesEstimate((toMs - fromMs) / MINUTE_MS),
  };
}

/** First the data to join, then current data for comparison. */
function recipeSteps(wishes: RecipeWishes): RecipeStep[] {
  const { symbol, depth, limit, joins, includeTrades, includeCandles } = wishes;
  const reports = (name: string) => joins.some(({ channel }) => channel === name);
  const book: RecipeStep = {
    stepId: 'book_now',
    purpose: 'The current book to the requested depth, to compare with that of the window.',
    path: `${DATA}/book/l2/latest`,
    parameters: { symbol, depth },
    output: 'market_state_book_now.json',
    credits: latestEstimate('depth', depth),
  };
  const trades: RecipeStep = {
    stepId: 'trades_now',
    purpose: 'The newest trades, to compare with those of the window.',
    path: `${DATA}/trades/latest`,
    parameters: { symbol, limit },
    output: 'market_state_trades_now.json',
    credits: latestEstimate('limit', limit),
  };
  return [
    windowStep(wishes),
    ...contextStep(wishes),
    ...(includeCandles && reports('trades') ? [candleStep(wishes)] : []),
    ...(reports('book') ? [book] : []),
    ...(includeTrades && reports('trades') ? [trades] : []),
  ];
}

interface RecipeStatement {
  readonly packetDigest: string;
  /** Levels per side. */
  readonly depth: number;
  /** Newest rows to return per channel. */
  readonly limit: number;
  /** The window's rows, and files with earlier rows. */
  readonly rowFiles: readonly string[];
  /** Null if candles are not joined. */
  readonly candleFile: string | null;
  /** Channels that join only by their newest row, with its maximum age at the window's end. */
  readonly toleranceMs: Readonly<Record<string, number>>;
}

function ageLimit(toleranceMs: Readonly<Record<string, number>>): string {
  const cases = Object.entries(toleranceMs).map(([channel, ms]) => `WHEN '${channel}' THEN ${ms}`);
  return cases.length === 0 ? `${WINDOW_MS}` : `CASE rows.channel ${cases.join(' ')} ELSE ${WINDOW_MS} END`;
}

/** Channels whose rows stay valid until replaced contribute one row. */
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
 * In log order, up to the entry that closed the window. Channels whose rows stay valid until replaced contribute their
 * newest row, if not too old.
 */
function recipeStatement({ packetDigest, depth, limit, rowFiles, candleFile, toleranceMs }: RecipeStatement): string {
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
