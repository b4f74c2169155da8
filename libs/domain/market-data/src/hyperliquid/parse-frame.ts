import { isCount, isObject, type Json, parseJson } from '../json';
import { IGNORED, rejected, type NotAccepted, isOversized } from '../rejections';
import type { HyperliquidMessage, FundingPayment, HyperliquidTrade, SimulatedLiquidation } from './message';
import { readBestPrices, readBook } from './read-book';
import { decimalAsSent, positiveAsSent, unsignedAsSent, positiveDecimal } from '../decimal';
import type { TradeEvent } from '../event';

/** Recognizes `info` responses by their shape. An empty list counts as no trades: it fits every row request. */
export function readAnswer(answer: Json | readonly unknown[], coin: string): HyperliquidMessage {
  return isList(answer) ? readList(answer, coin) : readObject(answer, coin);
}

function isList(answer: Json | readonly unknown[]): answer is readonly unknown[] {
  return Array.isArray(answer);
}

function readObject(answer: Json, coin: string): HyperliquidMessage {
  if ('levels' in answer && typeof answer['coin'] === 'string') return answer['coin'] === coin ? asAnswer(readBook(answer)) : IGNORED;
  if (Array.isArray(answer['universe'])) return IGNORED;
  const prices = Object.values(answer);
  return prices.length > 0 && prices.every((price) => positiveDecimal(price) !== undefined) ? IGNORED : rejected('unknown_message');
}

function asAnswer(message: HyperliquidMessage): HyperliquidMessage {
  return message.type === 'book' ? { ...message, isAnswer: true } : message;
}

function readList(answer: readonly unknown[], coin: string): HyperliquidMessage {
  const [first, second] = answer;
  if (first === undefined) return readTrades(answer, coin, true);
  if (!isObject(first)) return rejected('unknown_message');
  if (Array.isArray(first['universe'])) return readUniverse(first['universe'] as unknown[], second, coin);
  if ('fundingRate' in first) return readFunding(answer, coin);
  if ('closedPnl' in first) return IGNORED;
  if ('tid' in first) return readTrades(answer, coin, true);
  return 'T' in first && 'i' in first ? IGNORED : rejected('unknown_message');
}

function readUniverse(universe: readonly unknown[], contexts: unknown, coin: string): HyperliquidMessage {
  if (!Array.isArray(contexts)) return rejected('unknown_message');
  const index = universe.findIndex((asset) => isObject(asset) && asset['name'] === coin);
  return index < 0 ? IGNORED : readAssetContext((contexts as unknown[])[index]);
}

/** Taker side: B(id) buys, A(sk) sells. */
const SIDES = new Map<unknown, TradeEvent['aggressorSide']>([
  ['B', 'buy'],
  ['A', 'sell'],
]);
const POSITION_SIDES = new Map<unknown, SimulatedLiquidation['positionSide']>([
  ['long', 'long'],
  ['short', 'short'],
]);

function readTrades(rows: unknown, coin: string, isAnswer: boolean): HyperliquidMessage {
  if (!Array.isArray(rows)) return rejected('unknown_message');
  return { type: 'trades', isAnswer, trades: (rows as unknown[]).map((row) => readTrade(row, coin)) };
}

function readTrade(row: unknown, coin: string): HyperliquidTrade | NotAccepted {
  if (!isObject(row) || typeof row['coin'] !== 'string') return rejected('unknown_message');
  if (row['coin'] !== coin) return IGNORED;
  const { tid, time: timeMs, px, sz, side } = row;
  const aggressorSide = SIDES.get(side);
  if (!isCount(tid) || !isCount(timeMs) || aggressorSide === undefined) return rejected('unknown_message');
  const price = positiveDecimal(px);
  if (price === undefined) return rejected('bad_price');
  const size = positiveDecimal(sz);
  if (size === undefined) return rejected('bad_size');
  return { type: 'trade', timeMs, id: String(tid), price, size, aggressorSide };
}

/** A row of `node_trades`, whose time is text and which has no id. */
export function readArchivedTrade(row: Json, coin: string, timeMs: number, id: number): HyperliquidMessage {
  return { type: 'trades', isAnswer: false, trades: [readTrade({ ...row, time: timeMs, tid: id }, coin)] };
}

function readFunding(rows: readonly unknown[], coin: string): HyperliquidMessage {
  return { type: 'funding', payments: rows.map((row) => readPayment(row, coin)) };
}

function readPayment(row: unknown, coin: string): FundingPayment | NotAccepted {
  if (!isObject(row) || typeof row['coin'] !== 'string' || !isCount(row['time'])) return rejected('unknown_message');
  if (row['coin'] !== coin) return IGNORED;
  const rate = decimalAsSent(row['fundingRate']);
  return rate === undefined ? rejected('bad_size') : { type: 'funding_payment', timeMs: row['time'], rate };
}

/** `simLiquidations`, only from the simulated venue. */
function readLiquidations(rows: unknown, coin: string): HyperliquidMessage {
  if (!Array.isArray(rows)) return rejected('unknown_message');
  return { type: 'liquidations', liquidations: (rows as unknown[]).map((row) => readLiquidation(row, coin)) };
}

function readLiquidation(row: unknown, coin: string): SimulatedLiquidation | NotAccepted {
  if (!isObject(row) || typeof row['coin'] !== 'string') return rejected('unknown_message');
  if (row['coin'] !== coin) return IGNORED;
  const { id, time: timeMs, px, sz } = row;
  const positionSide = POSITION_SIDES.get(row['positionSide']);
  if (!isCount(id) || !isCount(timeMs) || positionSide === undefined) return rejected('unknown_message');
  const price = positiveDecimal(px);
  if (price === undefined) return rejected('bad_price');
  const size = positiveDecimal(sz);
  return size === undefined ? rejected('bad_size') : { type: 'liquidation', timeMs, id: String(id), positionSide, price, size };
}

/** Hourly rate, open interest in coins, volume in dollars. `midPx` is null if a book side is empty. */
export function readAssetContext(ctx: unknown): HyperliquidMessage {
  if (!isObject(ctx)) return rejected('unknown_message');
  const { funding, openInterest, markPx, oraclePx, midPx, dayNtlVlm } = ctx;
  const [markPrice, oraclePrice, midPrice] = [markPx, oraclePx, midPx].map((price) => optional(price, positiveAsSent));
  if (markPrice === null || oraclePrice === null || midPrice === null) return rejected('bad_price');
  const [fundingRate, interest, dayVolume] = [
    optional(funding, decimalAsSent),
    optional(openInterest, unsignedAsSent),
    optional(dayNtlVlm, unsignedAsSent),
  ];
  if (fundingRate === null || interest === null || dayVolume === null) return rejected('bad_size');
  if ([markPrice, oraclePrice, midPrice, fundingRate, interest, dayVolume].every((value) => value === undefined)) return IGNORED;
  return { type: 'context', facts: { fundingRate, openInterest: interest, markPrice, oraclePrice, midPrice, dayVolume } };
}

function optional(value: unknown, read: (value: unknown) => string | undefined): string | undefined | null {
  return value === undefined || value === null ? undefined : (read(value) ?? null);
}

const UNUSED_CHANNELS: readonly unknown[] = ['allMids', 'allDexsAssetCtxs', 'user', 'subscriptionResponse', 'pong', 'error'];
const CANDLE_INTERVAL = '1m';

/** Ignores other coins. Never throws. */
export function parseFrame(text: string, start: number, coin: string): HyperliquidMessage {
  if (isOversized(text, start)) return rejected('oversized_frame');
  const value = parseJson(start === 0 ? text : text.slice(start));
  if (Array.isArray(value) || (isObject(value) && !('channel' in value))) return readAnswer(value, coin);
  return isObject(value) ? readFrame(value, coin) : rejected('broken_json');
}

export function readFrame({ channel, data }: Json, coin: string): HyperliquidMessage {
  if (UNUSED_CHANNELS.includes(channel)) return IGNORED;
  if (channel === 'trades') return readTrades(data, coin, false);
  if (channel === 'simLiquidations') return readLiquidations(data, coin);
  if (channel === 'candle') return readCandle(data, coin);
  if (!isObject(data) || typeof data['coin'] !== 'string') return rejected('unknown_message');
  if (data['coin'] !== coin) return IGNORED;
  switch (channel) {
    case 'l2Book':
      return readBook(data);
    case 'bbo':
      return readBestPrices(data);
    case 'activeAssetCtx':
      return readAssetContext(data['ctx']);
    default:
      return rejected('unknown_message');
  }
}

function readCandle(candle: unknown, coin: string): HyperliquidMessage {
  if (!isObject(candle)) return rejected('unknown_message');
  const { s, i, t: startMs, T: endMs, n: tradeCount } = candle;
  if (typeof s !== 'string' || typeof i !== 'string' || !isCount(startMs) || !isCount(endMs) || !isCount(tradeCount))
    return rejected('unknown_message');
  return s === coin && i === CANDLE_INTERVAL ? { type: 'candle', startMs, tradeCount } : IGNORED;
}
