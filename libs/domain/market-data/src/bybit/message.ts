import type { LiquidationEvent, TradeEvent } from '../event';
import { type NotTaken, IGNORED, rejected, type RejectionReason, isOversized } from '../rejections';
import { isCount, isObject, type Json, parseObject } from '../json';
import { decimalAsSent, positiveAsSent, unsignedAsSent, positiveDecimal, venueNumber } from '../decimal';

/** Levels a side of the book topic that is read where nothing else is said. */
export const BOOK_LEVELS = 200;

/** Levels of one side: prices and sizes (base units) as numbers of at most 15 digits; in a delta size 0 removes. */
export interface Levels {
  readonly prices: readonly number[];
  readonly sizes: readonly number[];
}

/** `snapshot`: the whole book (200 levels a side), which replaces what is there; `delta`: changes. */
export interface BookFrame {
  readonly type: 'snapshot' | 'delta';
  /** `cts`, when the matching engine made it; `ts`, when the frame was made, where there is none. */
  readonly timeMs: number;
  /** `u`: rises by exactly 1 from frame to frame; 1 again when the venue's service has restarted. */
  readonly updateId: number;
  readonly bids: Levels;
  readonly asks: Levels;
}

/** One trade; `S` is the taker's side. */
export interface BybitTrade {
  readonly type: 'trade';
  readonly timeMs: number;
  readonly id: string;
  readonly price: string;
  readonly size: string;
  readonly aggressorSide: TradeEvent['aggressorSide'];
}

/** A position taken over by the venue. */
export interface BybitLiquidation {
  readonly type: 'liquidation';
  readonly timeMs: number;
  readonly positionSide: LiquidationEvent['positionSide'];
  readonly price: string;
  readonly size: string;
}

/** The entries of a frame, each taken or not by itself. */
interface EntryFrame {
  readonly type: 'entries';
  readonly entries: readonly (BybitTrade | BybitLiquidation | NotTaken)[];
}

/** The fields of a ticker that the context reads, as sent; one that a delta does not carry has not changed. */
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
  /** `ts`: when the frame was made; there is no matching engine's time. */
  readonly timeMs: number;
  /** `cs`: the cross sequence, rising. */
  readonly id: string;
  readonly fields: TickerFields;
}

/** The connection was made anew: nothing of the book before holds. */
interface Reconnected {
  readonly type: 'reconnected';
}

export type BybitMessage = BookFrame | EntryFrame | TickerFrame | Reconnected | NotTaken;

const TOPIC_PREFIX = '{"topic":"';

const TAKERS = new Map<unknown, TradeEvent['aggressorSide']>([
  ['Buy', 'buy'],
  ['Sell', 'sell'],
]);

/**
 * `S` of a liquidation is the side of the position, not of the order that closes it: "Buy" says that a long was liquidated.
 * Source: Bybit V5 API, "All Liquidation", field `S` (bybit-exchange.github.io/docs/v5/websocket/public/all-liquidation).
 */
const POSITIONS = new Map<unknown, LiquidationEvent['positionSide']>([
  ['Buy', 'long'],
  ['Sell', 'short'],
]);

/** Fields of the context and what each must be; those that fit are kept to the last digit as sent. */
const TICKER_FIELDS = [
  ['fundingRate', decimalAsSent, 'bad_size'],
  ['fundingIntervalHour', wholeHours, 'bad_size'],
  ['openInterest', unsignedAsSent, 'bad_size'],
  ['markPrice', positiveAsSent, 'bad_price'],
  ['indexPrice', positiveAsSent, 'bad_price'],
  ['turnover24h', unsignedAsSent, 'bad_size'],
] as const;

/**
 * Reads a frame of Bybit's v5 public linear connection: `orderbook.<bookLevels>`, `publicTrade`, `tickers` and `allLiquidation` of one
 * instrument. Other topics, other instruments and answers to requests are ignored, without parsing where the topic stands
 * first. Never throws.
 */
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

/** Checks every level before any is applied, so that a frame is taken whole or not at all. */
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

/** Hours between payments: 1 to 999. */
function wholeHours(value: unknown): string | undefined {
  return typeof value === 'string' && /^[1-9][0-9]{0,2}$/.test(value) ? value : undefined;
}

function readEntries(data: unknown, read: (entry: Json) => BybitTrade | BybitLiquidation | NotTaken): BybitMessage {
  if (!Array.isArray(data)) return rejected('unknown_message');
  return { type: 'entries', entries: (data as unknown[]).map((entry) => (isObject(entry) ? read(entry) : rejected('unknown_message'))) };
}

/** A block trade (`BT`) was agreed outside the book: nobody crossed the spread. */
function readTrade({ T: timeMs, S: side, v, p, i: id, BT: isBlock }: Json): BybitTrade | NotTaken {
  const aggressorSide = TAKERS.get(side);
  if (!isCount(timeMs) || typeof id !== 'string' || id === '' || aggressorSide === undefined) return rejected('unknown_message');
  if (isBlock === true) return IGNORED;
  const price = positiveDecimal(p);
  if (price === undefined) return rejected('bad_price');
  const size = positiveDecimal(v);
  if (size === undefined) return rejected('bad_size');
  return { type: 'trade', timeMs, id, price, size, aggressorSide };
}

/** `p` is the bankruptcy price of the position, `v` its size. */
function readLiquidation({ T: timeMs, S: side, v, p }: Json): BybitLiquidation | NotTaken {
  const positionSide = POSITIONS.get(side);
  if (!isCount(timeMs) || positionSide === undefined) return rejected('unknown_message');
  const price = positiveDecimal(p);
  if (price === undefined) return rejected('bad_price');
  const size = positiveDecimal(v);
  if (size === undefined) return rejected('bad_size');
  return { type: 'liquidation', timeMs, positionSide, price, size };
}
