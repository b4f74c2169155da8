import type { LiquidationEvent, TradeEvent } from '../event';
import { type NotAccepted, IGNORED, rejected, type RejectionReason, isOversized } from '../rejections';
import { isCount, isObject, type Json, parseObject } from '../json';
import { decimalAsSent, positiveAsSent, unsignedAsSent, positiveDecimal, venueNumber } from '../decimal';

export const BOOK_LEVELS = 200;

/** One side in base units, as numbers of at most 15 digits; in a delta, size 0 removes. */
export interface Levels {
  readonly prices: readonly number[];
  readonly sizes: readonly number[];
}

export interface BookFrame {
  readonly type: 'snapshot' | 'delta';
  /** Matching engine time `cts`, otherwise frame time `ts`. */
  readonly timeMs: number;
  /** `u`: rises by exactly 1 per frame; restarts at 1 with the venue's service. */
  readonly updateId: number;
  readonly bids: Levels;
  readonly asks: Levels;
}

export interface BybitTrade {
  readonly type: 'trade';
  readonly timeMs: number;
  readonly id: string;
  readonly price: string;
  readonly size: string;
  readonly aggressorSide: TradeEvent['aggressorSide'];
}

export interface BybitLiquidation {
  readonly type: 'liquidation';
  readonly timeMs: number;
  readonly positionSide: LiquidationEvent['positionSide'];
  readonly price: string;
  readonly size: string;
}

interface EntryFrame {
  readonly type: 'entries';
  readonly entries: readonly (BybitTrade | BybitLiquidation | NotAccepted)[];
}

/** Context fields of a ticker, as sent; a field missing from a delta is unchanged. */
export interface TickerFields {
  readonly fundingRate?: string;
  readonly fundingIntervalHour?: string;
  readonly openInterest?: string;
  readonly markPrice?: string;
  readonly indexPrice?: string;
  readonly turnover24h?: string;
}

export interface TickerFrame {
  readonly type: 'ticker';
  readonly isSnapshot: boolean;
  readonly timeMs: number;
  readonly id: string;
  readonly fields: TickerFields;
}

interface Reconnected {
  readonly type: 'reconnected';
}

export type BybitMessage = BookFrame | EntryFrame | TickerFrame | Reconnected | NotAccepted;

const TOPIC_PREFIX = '{"topic":"';

const TAKERS = new Map<unknown, TradeEvent['aggressorSide']>([
  ['Buy', 'buy'],
  ['Sell', 'sell'],
]);

/**
 * `S` of a liquidation is the position's side, not the order's: "Buy" means that a long was liquidated. Source: Bybit
 * V5 API, "All Liquidation", field `S` (bybit-exchange.github.io/docs/v5/websocket/public/all-liquidation).
 */
const POSITIONS = new Map<unknown, LiquidationEvent['positionSide']>([
  ['Buy', 'long'],
  ['Sell', 'short'],
]);

const TICKER_FIELDS = [
  ['fundingRate', decimalAsSent, 'bad_size'],
  ['fundingIntervalHour', wholeHours, 'bad_size'],
  ['openInterest', unsignedAsSent, 'bad_size'],
  ['markPrice', positiveAsSent, 'bad_price'],
  ['indexPrice', positiveAsSent, 'bad_price'],
  ['turnover24h', unsignedAsSent, 'bad_size'],
] as const;

/** Skips other topics without parsing. Never throws. */
export function parseFrame(text: string, venueInstrument: string, bookLevels = BOOK_LEVELS): BybitMessage {
  if (isOversized(text)) return rejected('oversized_frame');
  if (text.startsWith(TOPIC_PREFIX)) {
    const topic = text.slice(TOPIC_PREFIX.length, text.indexOf('"', TOPIC_PREFIX.length));
    if (isUnused(topic, venueInstrument, bookLevels)) return IGNORED;
  }
  const frame = parseObject(text);
  if (frame === undefined) return rejected('broken_json');
  const { topic, data } = frame;
  if (topic === undefined) return 'op' in frame ? IGNORED : rejected('unknown_message');
  if (typeof topic !== 'string') return rejected('unknown_message');
  if (isUnused(topic, venueInstrument, bookLevels)) return IGNORED;
  switch (topic.slice(0, topic.indexOf('.'))) {
    case 'orderbook':
      return isObject(data) ? readBook(frame, data) : rejected('unknown_message');
    case 'tickers':
      return isObject(data) ? readTicker(frame, data) : rejected('unknown_message');
    case 'publicTrade':
      return readEntries(data, readTrade);
    case 'allLiquidation':
      return readEntries(data, readLiquidation);
    default:
      return rejected('unknown_message');
  }
}

function isUnused(topic: string, venueInstrument: string, bookLevels: number): boolean {
  if (!topic.endsWith(`.${venueInstrument}`)) return topic.includes('.');
  return topic.startsWith('kline.') || (topic.startsWith('orderbook.') && !topic.startsWith(`orderbook.${bookLevels}.`));
}

function readBook({ type, cts, ts }: Json, { u: updateId, b, a }: Json): BybitMessage {
  const timeMs = cts ?? ts;
  if ((type !== 'snapshot' && type !== 'delta') || !isCount(timeMs) || !isCount(updateId)) return rejected('unknown_message');
  const bids = readLevels(b, type === 'delta');
  if (typeof bids === 'string') return rejected(bids);
  const asks = readLevels(a, type === 'delta');
  if (typeof asks === 'string') return rejected(asks);
  return { type, timeMs, updateId, bids, asks };
}

/** A frame is accepted whole or not at all. */
function readLevels(value: unknown, mayRemove: boolean): Levels | RejectionReason {
  if (!Array.isArray(value)) return 'unknown_message';
  const prices: number[] = [];
  const sizes: number[] = [];
  for (const level of value as unknown[]) {
    if (!Array.isArray(level)) return 'unknown_message';
    const price = venueNumber(level[0]);
    if (!(price > 0)) return 'bad_price';
    const size = venueNumber(level[1]);
    if (!(size > 0 || (mayRemove && size === 0))) return 'bad_size';
    prices.push(price);
    sizes.push(size);
  }
  return { prices, sizes };
}

function readTicker({ type, ts: timeMs, cs }: Json, data: Json): BybitMessage {
  if ((type !== 'snapshot' && type !== 'delta') || !isCount(timeMs) || !isCount(cs)) return rejected('unknown_message');
  const fields: Partial<Record<(typeof TICKER_FIELDS)[number][0], string>> = {};
  for (const [name, read, fault] of TICKER_FIELDS) {
    const value = data[name];
    if (value === undefined || value === '') continue;
    const decimal = read(value);
    if (decimal === undefined) return rejected(fault);
    fields[name] = decimal;
  }
  return { type: 'ticker', isSnapshot: type === 'snapshot', timeMs, id: String(cs), fields: fields satisfies TickerFields };
}

function wholeHours(value: unknown): string | undefined {
  return typeof value === 'string' && /^[1-9][0-9]{0,2}$/.test(value) ? value : undefined;
}

function readEntries(data: unknown, read: (entry: Json) => BybitTrade | BybitLiquidation | NotAccepted): BybitMessage {
  if (!Array.isArray(data)) return rejected('unknown_message');
  return { type: 'entries', entries: (data as unknown[]).map((entry) => (isObject(entry) ? read(entry) : rejected('unknown_message'))) };
}

/** Block trades (`BT`) are negotiated off-book and have no aggressor. */
function readTrade({ T: timeMs, S: side, v, p, i: id, BT: isBlock }: Json): BybitTrade | NotAccepted {
  const aggressorSide = TAKERS.get(side);
  if (!isCount(timeMs) || typeof id !== 'string' || id === '' || aggressorSide === undefined) return rejected('unknown_message');
  if (isBlock === true) return IGNORED;
  const price = positiveDecimal(p);
  if (price === undefined) return rejected('bad_price');
  const size = positiveDecimal(v);
  if (size === undefined) return rejected('bad_size');
  return { type: 'trade', timeMs, id, price, size, aggressorSide };
}

/** `p` is the bankruptcy price, `v` the size. */
function readLiquidation({ T: timeMs, S: side, v, p }: Json): BybitLiquidation | NotAccepted {
  const positionSide = POSITIONS.get(side);
  if (!isCount(timeMs) || positionSide === undefined) return rejected('unknown_message');
  const price = positiveDecimal(p);
  if (price === undefined) return rejected('bad_price');
  const size = positiveDecimal(v);
  if (size === undefined) return rejected('bad_size');
  return { type: 'liquidation', timeMs, positionSide, price, size };
}
