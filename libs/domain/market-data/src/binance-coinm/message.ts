import type { RejectionReason } from '../rejections';
import { venueNumber } from '../venue-number';

/** Changed levels of one side, checked: keys (the price as a number), prices and quantities as sent; quantity 0 removes. */
export interface Levels {
  readonly keys: readonly number[];
  readonly prices: readonly string[];
  readonly contracts: readonly string[];
  readonly removes: readonly boolean[];
}

export interface DepthDiff {
  readonly type: 'depth';
  /** Matching engine time. */
  readonly timeMs: number;
  readonly firstId: number;
  readonly lastId: number;
  readonly previousLastId: number;
  readonly bids: Levels;
  readonly asks: Levels;
}

export interface DepthSnapshot {
  readonly type: 'snapshot';
  readonly timeMs: number;
  readonly lastId: number;
  readonly bids: Levels;
  readonly asks: Levels;
}

export interface TradeMessage {
  readonly type: 'trade';
  readonly timeMs: number;
  readonly id: number;
  readonly price: string;
  readonly contracts: string;
  readonly buyerIsMaker: boolean;
}

export type VenueMessage = DepthDiff | DepthSnapshot | TradeMessage;

/** A message that is not taken. `ignored` is one that the log has no use for (`bookTicker`): no fault. */
export type NotTaken = { readonly type: 'rejected'; readonly reason: RejectionReason } | { readonly type: 'ignored' };

const FRAME_BYTES_MAX = 1_048_576;
const STREAM_PREFIX = '{"stream":"';
const IGNORED: NotTaken = { type: 'ignored' };

type Json = Record<string, unknown>;

/**
 * Reads one message of Binance COIN-M: the combined-stream envelope (`depth` diffs, `trade`; `bookTicker` is told by its
 * stream name and not parsed) or an answer of the REST depth endpoint. Never throws.
 */
export function parseMessage(text: string, venueInstrument: string): VenueMessage | NotTaken {
  if (text.length > FRAME_BYTES_MAX || (text.length * 3 > FRAME_BYTES_MAX && Buffer.byteLength(text) > FRAME_BYTES_MAX)) {
    return rejected('oversized_frame');
  }
  if (isBookTicker(text)) return IGNORED;
  const message = parseObject(text);
  if (message === undefined) return rejected('broken_json');
  if ('lastUpdateId' in message) return readSnapshot(message, venueInstrument);
  const { data } = message;
  if (!isObject(data)) return rejected('unknown_message');
  if (data['e'] === 'depthUpdate') return readDiff(data, venueInstrument);
  if (data['e'] === 'trade') return readTrade(data, venueInstrument);
  return data['e'] === 'bookTicker' ? IGNORED : rejected('unknown_message');
}

function isBookTicker(text: string): boolean {
  if (!text.startsWith(STREAM_PREFIX)) return false;
  const at = text.indexOf('@', STREAM_PREFIX.length);
  return at > 0 && at < 64 && text.startsWith('@bookTicker"', at);
}

function readDiff(data: Json, venueInstrument: string): VenueMessage | NotTaken {
  const { T: timeMs, U: firstId, u: lastId, pu: previousLastId, s: symbol } = data;
  if (symbol !== venueInstrument) return rejected('unknown_symbol');
  if (!isCount(timeMs) || !isCount(firstId) || !isCount(lastId) || !isCount(previousLastId)) return rejected('unknown_message');
  const bids = readLevels(data['b'], true);
  if (typeof bids === 'string') return rejected(bids);
  const asks = readLevels(data['a'], true);
  if (typeof asks === 'string') return rejected(asks);
  return { type: 'depth', timeMs, firstId, lastId, previousLastId, bids, asks };
}

function readSnapshot(data: Json, venueInstrument: string): VenueMessage | NotTaken {
  const { T: timeMs, lastUpdateId: lastId, symbol } = data;
  if (symbol !== venueInstrument) return rejected('unknown_symbol');
  if (!isCount(timeMs) || !isCount(lastId)) return rejected('unknown_message');
  const bids = readLevels(data['bids'], false);
  if (typeof bids === 'string') return rejected(bids);
  const asks = readLevels(data['asks'], false);
  if (typeof asks === 'string') return rejected(asks);
  return { type: 'snapshot', timeMs, lastId, bids, asks };
}

function readTrade(data: Json, venueInstrument: string): VenueMessage | NotTaken {
  const { T: timeMs, t: id, p: price, q: contracts, m: buyerIsMaker, s: symbol } = data;
  if (symbol !== venueInstrument) return rejected('unknown_symbol');
  if (!isCount(timeMs) || !isCount(id) || typeof buyerIsMaker !== 'boolean') return rejected('unknown_message');
  if (typeof price !== 'string' || !(venueNumber(price) > 0)) return rejected('bad_price');
  if (typeof contracts !== 'string' || !(venueNumber(contracts) > 0)) return rejected('bad_size');
  return { type: 'trade', timeMs, id, price, contracts, buyerIsMaker };
}

/** Checks every level before any is applied, so that a message is taken whole or not at all. */
function readLevels(value: unknown, mayRemove: boolean): Levels | RejectionReason {
  if (!Array.isArray(value)) return 'unknown_message';
  const keys: number[] = [];
  const prices: string[] = [];
  const contracts: string[] = [];
  const removes: boolean[] = [];
  for (const level of value as unknown[]) {
    if (!Array.isArray(level)) return 'unknown_message';
    const price: unknown = level[0];
    const quantity: unknown = level[1];
    const key = venueNumber(price);
    if (typeof price !== 'string' || !(key > 0)) return 'bad_price';
    const amount = venueNumber(quantity);
    if (typeof quantity !== 'string' || !(amount > 0 || (mayRemove && amount === 0))) return 'bad_size';
    keys.push(key);
    prices.push(price);
    contracts.push(quantity);
    removes.push(amount === 0);
  }
  return { keys, prices, contracts, removes };
}

function parseObject(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function rejected(reason: RejectionReason): NotTaken {
  return { type: 'rejected', reason };
}
