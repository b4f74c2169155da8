import { isCount, isObject, type Json, parseObject } from '../json';
import { IGNORED, rejected } from '../not-taken';
import type { RejectionReason } from '../rejections';
import { isOversized } from '../oversized';
import { venueNumber } from '../venue-number';
import type { BinanceMarket, BinanceMessage, Levels } from './message';
import { scanDiff } from './scan-diff';

const STREAM_PREFIX = '{"stream":"';
const STREAM_CHARACTERS_MAX = 64;
/** Fills that no order in the book met: positions taken over by the insurance fund or by automatic deleveraging. */
const OFF_BOOK = ['INSURANCE_FUND', 'ADL'] as const;

/**
 * Reads the message of Binance futures that `text` holds from `start` on: the combined-stream envelope (`depth` diffs,
 * `trade`; `bookTicker` is told by its stream name and not parsed) or an answer of the REST depth endpoint, which names no
 * instrument on USD-M and is taken to be this one's. Never throws.
 */
export function parseMessage(text: string, start: number, venueInstrument: string, market: BinanceMarket): BinanceMessage {
  if (isOversized(text, start)) return rejected('oversized_frame');
  const channelStart = text.startsWith(STREAM_PREFIX, start) ? text.indexOf('@', start + STREAM_PREFIX.length) : -1;
  if (channelStart >= 0 && channelStart < start + STREAM_CHARACTERS_MAX) {
    if (text.startsWith('@bookTicker"', channelStart)) return IGNORED;
    const diff = text.startsWith('@depth', channelStart) ? scanDiff(text, start, venueInstrument, market) : undefined;
    if (diff !== undefined) return diff;
  }
  return parseJson(start === 0 ? text : text.slice(start), venueInstrument, market);
}

/** The same, by parsing the JSON: what `scanDiff` must agree with. */
export function parseJson(text: string, venueInstrument: string, market: BinanceMarket): BinanceMessage {
  const message = parseObject(text);
  if (message === undefined) return rejected('broken_json');
  if ('lastUpdateId' in message) return readSnapshot(message, venueInstrument, market);
  const { data } = message;
  if (!isObject(data)) return rejected('unknown_message');
  if (data['e'] === 'depthUpdate') return readDiff(data, venueInstrument);
  if (data['e'] === 'trade') return readTrade(data, venueInstrument);
  return data['e'] === 'bookTicker' ? IGNORED : rejected('unknown_message');
}

function readDiff(data: Json, venueInstrument: string): BinanceMessage {
  const { T: timeMs, U: firstId, u: lastId, pu: previousLastId, s: symbol } = data;
  if (symbol !== venueInstrument) return rejected('unknown_symbol');
  if (!isCount(timeMs) || !isCount(firstId) || !isCount(lastId) || !isCount(previousLastId)) return rejected('unknown_message');
  const bids = readLevels(data['b'], true);
  if (typeof bids === 'string') return rejected(bids);
  const asks = readLevels(data['a'], true);
  if (typeof asks === 'string') return rejected(asks);
  return { type: 'depth', timeMs, firstId, lastId, previousLastId, bids, asks };
}

function readSnapshot(data: Json, venueInstrument: string, market: BinanceMarket): BinanceMessage {
  const { T: timeMs, lastUpdateId: lastId, symbol } = data;
  if (symbol !== (market === 'coinm' ? venueInstrument : undefined)) return rejected('unknown_symbol');
  if (!isCount(timeMs) || !isCount(lastId)) return rejected('unknown_message');
  const bids = readLevels(data['bids'], false);
  if (typeof bids === 'string') return rejected(bids);
  const asks = readLevels(data['asks'], false);
  if (typeof asks === 'string') return rejected(asks);
  return { type: 'snapshot', timeMs, lastId, bids, asks };
}

function readTrade(data: Json, venueInstrument: string): BinanceMessage {
  const { T: timeMs, t: id, p: price, q: quantity, m: buyerIsMaker, s: symbol } = data;
  if (symbol !== venueInstrument) return rejected('unknown_symbol');
  if (!isCount(timeMs) || !isCount(id) || typeof buyerIsMaker !== 'boolean') return rejected('unknown_message');
  if (OFF_BOOK.some((kind) => kind === data['X'])) return IGNORED;
  if (typeof price !== 'string' || !(venueNumber(price) > 0)) return rejected('bad_price');
  if (typeof quantity !== 'string' || !(venueNumber(quantity) > 0)) return rejected('bad_size');
  return { type: 'trade', timeMs, id, price, quantity, buyerIsMaker };
}

/** Checks every level before any is applied, so that a message is taken whole or not at all. */
function readLevels(value: unknown, mayRemove: boolean): Levels | RejectionReason {
  if (!Array.isArray(value)) return 'unknown_message';
  const prices: number[] = [];
  const quantities: number[] = [];
  for (const level of value as unknown[]) {
    if (!Array.isArray(level)) return 'unknown_message';
    const price = venueNumber(level[0]);
    if (!(price > 0)) return 'bad_price';
    const quantity = venueNumber(level[1]);
    if (!(quantity > 0 || (mayRemove && quantity === 0))) return 'bad_size';
    prices.push(price);
    quantities.push(quantity);
  }
  return { prices, quantities };
}
