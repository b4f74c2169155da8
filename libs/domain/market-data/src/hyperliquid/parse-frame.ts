import type { BookLevel, TradeEvent } from '../event';
import { isCount, isObject, type Json, parseObject } from '../json';
import { IGNORED, type NotTaken, rejected } from '../not-taken';
import { isOversized } from '../oversized';
import { anyDecimal, positiveDecimal } from '../positive-decimal';
import type { RejectionReason } from '../rejections';
import type { HyperliquidMessage, HyperliquidTrade } from './message';
import { bookFault } from './book-fault';

/** Channels that the log has no use for, and the connection's own answers. */
const UNUSED_CHANNELS: readonly unknown[] = ['bbo', 'candle', 'allMids', 'allDexsAssetCtxs', 'user', 'subscriptionResponse', 'pong'];
/** `side` of a trade is the taker's: B(id) buys, A(sk) sells. */
const SIDES = new Map<unknown, TradeEvent['aggressorSide']>([
  ['B', 'buy'],
  ['A', 'sell'],
]);

/**
 * Reads the WebSocket frame of Hyperliquid that `text` holds from `start` on: `l2Book`, `trades` and `activeAssetCtx` of one
 * coin; frames of other coins are for another normalizer and ignored. Never throws.
 */
export function parseFrame(text: string, start: number, coin: string): HyperliquidMessage {
  if (isOversized(text, start)) return rejected('oversized_frame');
  const frame = parseObject(start === 0 ? text : text.slice(start));
  return frame === undefined ? rejected('broken_json') : readFrame(frame, coin);
}

/** The same for a frame that is parsed already. */
export function readFrame(frame: Json, coin: string): HyperliquidMessage {
  const { channel, data } = frame;
  if (UNUSED_CHANNELS.includes(channel)) return IGNORED;
  if (channel === 'trades') return readTrades(data, coin);
  if (!isObject(data) || typeof data['coin'] !== 'string') return rejected('unknown_message');
  if (data['coin'] !== coin) return IGNORED;
  if (channel === 'l2Book') return readBook(data);
  return channel === 'activeAssetCtx' ? readContext(data['ctx']) : rejected('unknown_message');
}

function readBook({ time: timeMs, levels }: Json): HyperliquidMessage {
  if (!isCount(timeMs) || !Array.isArray(levels) || levels.length !== 2) return rejected('unknown_message');
  const [bids, asks] = (levels as unknown[]).map(readSide);
  if (!Array.isArray(bids)) return rejected(bids ?? 'unknown_message');
  if (!Array.isArray(asks)) return rejected(asks ?? 'unknown_message');
  const fault = bookFault(bids, asks);
  return fault === undefined ? { type: 'book', timeMs, bids, asks } : rejected(fault);
}

function readSide(value: unknown): BookLevel[] | RejectionReason {
  if (!Array.isArray(value)) return 'unknown_message';
  const levels: BookLevel[] = [];
  for (const level of value as unknown[]) {
    if (!isObject(level)) return 'unknown_message';
    const price = positiveDecimal(level['px']);
    if (price === undefined) return 'bad_price';
    const size = positiveDecimal(level['sz']);
    if (size === undefined) return 'bad_size';
    levels.push({ price, size });
  }
  return levels;
}

function readTrades(data: unknown, coin: string): HyperliquidMessage {
  if (!Array.isArray(data)) return rejected('unknown_message');
  return { type: 'trades', trades: (data as unknown[]).map((trade) => readTrade(trade, coin)) };
}

function readTrade(trade: unknown, coin: string): HyperliquidTrade | NotTaken {
  if (!isObject(trade) || typeof trade['coin'] !== 'string') return rejected('unknown_message');
  if (trade['coin'] !== coin) return IGNORED;
  const { tid, time: timeMs, px, sz, side } = trade;
  const aggressorSide = SIDES.get(side);
  if (!isCount(tid) || !isCount(timeMs) || aggressorSide === undefined) return rejected('unknown_message');
  const price = positiveDecimal(px);
  if (price === undefined) return rejected('bad_price');
  const size = positiveDecimal(sz);
  if (size === undefined) return rejected('bad_size');
  return { type: 'trade', timeMs, id: String(tid), price, size, aggressorSide };
}

/**
 * `funding` is the rate of one hourly payment, `openInterest` counts coins, `dayNtlVlm` dollars. `midPx` is null where the
 * book has an empty side: absent then, like any field that is not sent.
 */
function readContext(ctx: unknown): HyperliquidMessage {
  if (!isObject(ctx)) return rejected('unknown_message');
  const { funding, openInterest, markPx, oraclePx, midPx, dayNtlVlm } = ctx;
  const prices = [markPx, oraclePx, midPx].map((price) => (isAbsent(price) ? undefined : (positiveDecimal(price) ?? null)));
  const numbers = [funding, openInterest, dayNtlVlm].map((number) => (isAbsent(number) ? undefined : (anyDecimal(number) ?? null)));
  if (prices.includes(null)) return rejected('bad_price');
  if (numbers.includes(null) || numbers.slice(1).some((number) => number?.startsWith('-'))) return rejected('bad_size');
  const [markPrice, oraclePrice, midPrice, fundingRate, interest, dayVolume] = [...prices, ...numbers].map((value) => value ?? undefined);
  return { type: 'context', fundingRate, openInterest: interest, markPrice, oraclePrice, midPrice, dayVolume };
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
