import type { Schemas } from '@market-state/client';
import { type Timeframe, TIMEFRAME_NAMES } from '@market-state/export-schema';
import { addDecimals, compareDecimals } from '@market-state/market-data';
import { z } from 'zod';
import type { Findings } from '../findings';
import type { Run } from '../session';
import { defineTool, instant, list, metered, object, type PlannedCall, symbol, text } from './tool';

export function sumOf(decimals: readonly string[]): string {
  return decimals.reduce(addDecimals, '0');
}

/** Keeps the original format; null for an empty list. */
export function rangeOf(decimals: readonly string[]): { readonly low: string | null; readonly high: string | null } {
  const sorted = decimals.toSorted(compareDecimals);
  return { low: sorted[0] ?? null, high: sorted.at(-1) ?? null };
}

const CHANNELS = ['book', 'trades', 'candles', 'context', 'liquidations'] as const;
type Channel = (typeof CHANNELS)[number];

const input = z.strictObject({
  symbol,
  channel: z.enum(CHANNELS),
  limit: z.int().min(1).max(1_000).default(50).describe('Levels per side of book; newest trades.'),
  tf: z
    .enum(TIMEFRAME_NAMES as readonly [Timeframe, ...Timeframe[]])
    .default('1m')
    .describe('For candles.'),
  from: instant.optional().describe('For candles.'),
  to: instant.optional().describe('For candles.'),
  ...metered,
});
type Args = z.output<typeof input>;

/** Concise answers omit the rows. */
interface Read {
  readonly answer: { readonly as_of_utc: string; readonly meta: Schemas['Meta'] };
  readonly summary: Readonly<Record<string, unknown>>;
  readonly rows: Readonly<Record<string, readonly unknown[]>>;
}

export const readRows = defineTool({
  name: 'read_rows',
  title: 'Rows of a market',
  description:
    'Book, trades, candles, funding and open interest, or liquidations: a summary, plus the rows with detail full. Prices and sizes are decimal ' +
    'strings. Cost: 1 credit plus 1 per full 250 levels or trades; candles at most 3.',
  input,
  output: { channel: text, summary: object, rows: list, bids: list, asks: list },
  calls: (args) => [PLANS[args.channel](args)],
  cheaper: (args) =>
    args.limit >= 250 ? { tool: 'read_rows', arguments: { symbol: args.symbol, channel: args.channel, limit: 50 } } : null,
  async run(run, args): Promise<Findings> {
    const { answer, summary, rows } = await READS[args.channel](run, args);
    const isFull = args.detail === 'full';
    return {
      of: [answer],
      asOfUtc: answer.as_of_utc,
      fields: { symbol: args.symbol, channel: args.channel, summary, ...(isFull ? rows : {}) },
      lists: Object.keys(rows),
      newestLast: args.channel === 'candles' ? ['rows'] : [],
      rest: (given) => ({ tool: 'read_rows', arguments: restOf(args, given, rows) }),
    };
  },
});

const PLANS: Readonly<Record<Channel, (args: Args) => PlannedCall>> = {
  book: ({ symbol: one, limit }) => ({ id: 'getBookL2Latest', params: { symbol: one, depth: limit } }),
  trades: ({ symbol: one, limit }) => ({ id: 'listLatestTrades', params: { symbol: one, limit } }),
  candles: ({ symbol: one, tf, from, to }) => ({ id: 'listCandles', params: { symbol: one, tf, from, to } }),
  context: ({ symbol: one }) => ({ id: 'getActiveAssetContext', params: { symbol: one } }),
  liquidations: ({ symbol: one }) => ({ id: 'getLiquidationsContext', params: { symbol: one } }),
};

const READS: Readonly<Record<Channel, (run: Run, args: Args) => Promise<Read>>> = {
  async book(run, { symbol: one, limit }) {
    const answer = await run.ask((ms, options) => ms.book.latest({ symbol: one, depth: limit }, options));
    const { bids, asks, spread_bps, mid_price, freshness_ms } = answer;
    const summary = {
      best_bid: bids[0] ?? null,
      best_ask: asks[0] ?? null,
      mid_price,
      spread_bps,
      levels: { bids: bids.length, asks: asks.length },
      bid_size: sumOf(bids.map(({ size }) => size)),
      ask_size: sumOf(asks.map(({ size }) => size)),
      freshness_ms,
    };
    return { answer, summary, rows: { bids, asks } };
  },
  async trades(run, { symbol: one, limit }) {
    const answer = await run.ask((ms, options) => ms.trades.latest({ symbol: one, limit }, options));
    const { rows } = answer;
    const sizeOf = (side: string): string => sumOf(rows.filter((row) => row.aggressor_side === side).map(({ size }) => size));
    const { low, high } = rangeOf(rows.map(({ price }) => price));
    const summary = {
      trade_total: rows.length,
      from_utc: rows.at(-1)?.exchange_time_utc ?? null,
      to_utc: rows[0]?.exchange_time_utc ?? null,
      first_price: rows.at(-1)?.price ?? null,
      last_price: rows[0]?.price ?? null,
      low,
      high,
      aggressive_buy_size: sizeOf('buy'),
      aggressive_sell_size: sizeOf('sell'),
    };
    return { answer, summary, rows: { rows } };
  },
  async candles(run, { symbol: one, tf, from, to }) {
    const answer = await run.ask((ms, options) => ms.candles.list({ symbol: one, tf, from, to }, options));
    const { rows } = answer;
    const traded = rows.filter(({ open }) => open !== null);
    const of = (field: 'low' | 'high' | 'volume'): string[] => traded.flatMap((row) => row[field] ?? []);
    const summary = {
      tf,
      candle_total: rows.length,
      from_utc: rows[0]?.open_time_utc ?? null,
      to_utc: rows.at(-1)?.close_time_utc ?? null,
      open: traded[0]?.open ?? null,
      close: traded.at(-1)?.close ?? null,
      low: rangeOf(of('low')).low,
      high: rangeOf(of('high')).high,
      volume: sumOf(of('volume')),
      with_gap_total: rows.filter(({ gap }) => gap).length,
      incomplete_total: rows.filter(({ complete }) => !complete).length,
      without_trades_total: rows.length - traded.length,
    };
    return { answer, summary, rows: { rows } };
  },
  async context(run, { symbol: one }) {
    const answer = await run.ask((ms, options) => ms.context.activeAsset({ symbol: one }, options));
    return { answer, summary: contextOf(answer), rows: {} };
  },
  async liquidations(run, { symbol: one }) {
    const answer = await run.ask((ms, options) => ms.liquidations.context({ symbol: one }, options));
    const { rows, window_seconds, event_total, long_notional_usd, short_notional_usd, skew, pressure_direction, largest } = answer;
    const summary = { window_seconds, event_total, long_notional_usd, short_notional_usd, skew, pressure_direction, largest };
    return { answer, summary, rows: { rows: rows ?? [] } };
  },
};

function contextOf({
  meta: _meta,
  symbol: _symbol,
  venue: _venue,
  as_of_utc: _asOf,
  source: _source,
  ...figures
}: Schemas['ActiveAssetContext']): Read['summary'] {
  return figures;
}

/** All that fit, or the candles before the oldest in the answer. */
function restOf(args: Args, given: Readonly<Record<string, number>>, rows: Read['rows']): Readonly<Record<string, unknown>> {
  const { symbol: one, channel, detail, tf } = args;
  if (channel !== 'candles') return { symbol: one, channel, detail, limit: Math.max(1, ...Object.values(given)) };
  const candles = (rows['rows'] ?? []) as readonly Schemas['Candle'][];
  const to = candles[candles.length - (given['rows'] ?? 0)]?.open_time_utc ?? args.to;
  const from = candles[0]?.open_time_utc ?? args.from;
  return { symbol: one, channel, detail, tf, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}
