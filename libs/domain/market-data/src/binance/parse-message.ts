import { writeText } from '#bytes';
import { isCount, isObject, type Json, parseObject } from '../json';
import { IGNORED, rejected, isOversized } from '../rejections';
import { venueNumber, decimalAsSent, positiveAsSent, unsignedAsSent, decimalOf } from '../decimal';
import type { BinanceMarket, BinanceMessage, DepthDiff } from './message';
import { type Levels, readLevels } from '../book-side';
import type { LiquidationEvent } from '../event';
import type { BestPrices } from '../audit/venue-answers';

/** Undefined for other lines. */
export function bestPricesOf(line: string, venueInstrument: string): BestPrices | undefined {
  const start = line.indexOf(' ') + 1;
  if (!line.startsWith(`{"stream":"${venueInstrument.toLowerCase()}@bookTicker"`, start)) return undefined;
  const data = parseObject(line.slice(start))?.['data'];
  if (!isObject(data) || data['s'] !== venueInstrument) return undefined;
  const { u: id, T: timeMs, b, B, a, A } = data;
  const [bidPrice, bidSize, askPrice, askSize] = [b, B, a, A].map(positiveAsSent);
  if (!isCount(id) || !isCount(timeMs)) return undefined;
  if (bidPrice === undefined || bidSize === undefined || askPrice === undefined || askSize === undefined) return undefined;
  return { place: { by: 'id', value: id }, timeMs, bid: { price: bidPrice, size: bidSize }, ask: { price: askPrice, size: askSize } };
}

/** A liquidation order's side is opposite to the position's. */
const POSITIONS = new Map<unknown, LiquidationEvent['positionSide']>([
  ['SELL', 'long'],
  ['BUY', 'short'],
]);
const UNFINISHED = ['NEW', 'PARTIALLY_FILLED'] as const;

/** `markPriceUpdate`. On delivery contracts, index price and funding rate are empty and the next payment is 0. */
function readMarkPrice({ E: timeMs, p, i, r, s: symbol, T: nextFundingMs }: Json, venueInstrument: string): BinanceMessage {
  if (symbol !== venueInstrument) return rejected('unknown_symbol');
  if (!isCount(timeMs)) return rejected('unknown_message');
  const markPrice = positiveAsSent(p);
  const indexPrice = isAbsent(i) ? undefined : positiveAsSent(i);
  if (markPrice === undefined || (indexPrice === undefined && !isAbsent(i))) return rejected('bad_price');
  const fundingRate = isAbsent(r) ? undefined : decimalAsSent(r);
  if (fundingRate === undefined && !isAbsent(r)) return rejected('bad_size');
  return {
    type: 'mark_price',
    timeMs,
    markPrice,
    ...(indexPrice !== undefined && { indexPrice }),
    ...(fundingRate !== undefined && { fundingRate }),
    ...(isCount(nextFundingMs) && nextFundingMs > 0 && { nextFundingMs }),
  };
}

/** `24hrTicker`. Volume is contracts on COIN-M, quote currency on USD-M. */
function readTicker({ E: timeMs, v, q, L: lastTradeId, s: symbol }: Json, venueInstrument: string, market: BinanceMarket): BinanceMessage {
  if (symbol !== venueInstrument) return rejected('unknown_symbol');
  if (!isCount(timeMs)) return rejected('unknown_message');
  const volume = unsignedAsSent(market === 'coinm' ? v : q);
  if (volume === undefined) return rejected('bad_size');
  return { type: 'context_part', volume, ...(isCount(lastTradeId) && { lastTradeId }) };
}

function readOpenInterest({ time: timeMs, openInterest: value, symbol }: Json, venueInstrument: string): BinanceMessage {
  if (symbol !== venueInstrument) return rejected('unknown_symbol');
  if (!isCount(timeMs)) return rejected('unknown_message');
  const openInterest = unsignedAsSent(value);
  return openInterest === undefined ? rejected('bad_size') : { type: 'context_part', openInterest };
}

function readFundingInfo({ fundingIntervalHours: hours, symbol }: Json, venueInstrument: string): BinanceMessage {
  if (symbol !== venueInstrument) return rejected('unknown_symbol');
  return isCount(hours) && hours > 0 ? { type: 'funding_interval', hours } : rejected('unknown_message');
}

function readLastFunding({ fundingTime: timeMs, symbol }: Json, venueInstrument: string): BinanceMessage {
  if (symbol !== venueInstrument) return rejected('unknown_symbol');
  return isCount(timeMs) ? { type: 'funding_payment', timeMs } : rejected('unknown_message');
}

function readForceOrder({ o }: Json, venueInstrument: string): BinanceMessage {
  if (!isObject(o)) return rejected('unknown_message');
  const { s: symbol, S: side, X: status, ap, z, T: timeMs } = o;
  if (symbol !== venueInstrument) return rejected('unknown_symbol');
  const positionSide = POSITIONS.get(side);
  if (!isCount(timeMs) || positionSide === undefined || typeof status !== 'string') return rejected('unknown_message');
  if (UNFINISHED.some((unfinished) => unfinished === status)) return IGNORED;
  const filled = unsignedAsSent(z);
  if (filled === undefined) return rejected('bad_size');
  if (Number(filled) === 0) return IGNORED;
  const price = positiveAsSent(ap);
  return price === undefined ? rejected('bad_price') : { type: 'liquidation', timeMs, positionSide, price, quantity: filled };
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === '';
}

const STREAM_PREFIX = '{"stream":"';
const STREAM_CHARACTERS_MAX = 64;
const BEST_LEVELS = /@depth(?:5|10|20)(?:[@"]|$)/;
/** Fills without a book order: insurance fund or auto-deleveraging. */
const OFF_BOOK = ['INSURANCE_FUND', 'ADL'] as const;

const QUOTE = 34;
const COMMA = 44;
const POINT = 46;
const ZERO = 48;
const NINE = 57;
const AT = 64;
const OPEN = 91;
const CLOSE = 93;
const UNDERSCORE = 95;
/** A double represents 15 digits exactly. */
const CHARACTERS_MAX = 15;
const TEXT_CHARACTERS_MAX = 65_536;

class ByteScan {
  private readonly bytes = new Uint8Array(TEXT_CHARACTERS_MAX * 3 + 1);
  private end = 0;
  private position = 0;
  private isOff = false;

  load(text: string, start: number): boolean {
    if (text.length > TEXT_CHARACTERS_MAX) return false;
    this.end = writeText(text, this.bytes, 0);
    this.bytes[this.end] = 0;
    this.position = start;
    this.isOff = this.end !== text.length;
    return true;
  }

  get isDone(): boolean {
    return !this.isOff && this.position === this.end;
  }

  literal(expected: string): void {
    const { bytes, position } = this;
    for (let index = 0; index < expected.length; index++) {
      if (bytes[position + index] !== expected.charCodeAt(index)) {
        this.isOff = true;
        return;
      }
    }
    this.position += expected.length;
  }

  streamName(): void {
    let byte = this.bytes[this.position] ?? 0;
    while ((byte >= 97 && byte <= 122) || (byte >= ZERO && byte <= NINE) || byte === AT || byte === UNDERSCORE) {
      byte = this.bytes[++this.position] ?? 0;
    }
  }

  capitals(): void {
    let byte = this.bytes[this.position] ?? 0;
    while (byte >= 65 && byte <= 90) byte = this.bytes[++this.position] ?? 0;
  }

  integer(): number {
    const { bytes, position: start } = this;
    let end = start;
    let value = 0;
    let byte = bytes[end] ?? 0;
    while (byte >= ZERO && byte <= NINE) {
      value = value * 10 + (byte - ZERO);
      byte = bytes[++end] ?? 0;
    }
    const digits = end - start;
    if (digits === 0 || digits > CHARACTERS_MAX || (digits > 1 && bytes[start] === ZERO)) this.isOff = true;
    this.position = end;
    return value;
  }

  levels(): Levels {
    const { bytes } = this;
    const prices: number[] = [];
    const sizes: number[] = [];
    if (bytes[this.position] === CLOSE) {
      this.position++;
      return { prices, sizes };
    }
    while (!this.isOff) {
      if (bytes[this.position++] !== OPEN) this.isOff = true;
      const price = this.decimal();
      if (bytes[this.position++] !== COMMA || !(price > 0)) this.isOff = true;
      prices.push(price);
      sizes.push(this.decimal());
      if (bytes[this.position++] !== CLOSE) this.isOff = true;
      const next = bytes[this.position++];
      if (next === CLOSE) break;
      if (next !== COMMA) this.isOff = true;
    }
    return { prices, sizes };
  }

  private decimal(): number {
    const { bytes, position: start } = this;
    let end = start + 1;
    let digits = 0;
    let point = -1;
    let byte = bytes[end] ?? 0;
    for (;;) {
      if (byte >= ZERO && byte <= NINE) digits = digits * 10 + (byte - ZERO);
      else if (byte === POINT && point < 0) point = end;
      else break;
      byte = bytes[++end] ?? 0;
    }
    const characters = end - start - 1;
    const isMisplaced = point === start + 1 || (point >= 0 && point === end - 1);
    if (bytes[start] !== QUOTE || byte !== QUOTE || characters === 0 || characters > CHARACTERS_MAX || isMisplaced) this.isOff = true;
    this.position = end + 1;
    return decimalOf(digits, point < 0 ? 0 : end - 1 - point);
  }
}

const scan = new ByteScan();

/**
 * Fast path for depth diffs, the bulk of a recording. Leaves any deviation from the venue's layout to the JSON parser.
 */
export function scanDiff(text: string, start: number, venueInstrument: string, market: BinanceMarket): DepthDiff | undefined {
  if (!scan.load(text, start)) return undefined;
  scan.literal('{"stream":"');
  scan.streamName();
  scan.literal('","data":{"e":"depthUpdate","E":');
  scan.integer();
  scan.literal(',"T":');
  const timeMs = scan.integer();
  scan.literal(',"s":"');
  scan.literal(venueInstrument);
  if (market === 'coinm') {
    scan.literal('","ps":"');
    scan.capitals();
  }
  scan.literal('","U":');
  const firstId = scan.integer();
  scan.literal(',"u":');
  const lastId = scan.integer();
  scan.literal(',"pu":');
  const previousLastId = scan.integer();
  scan.literal(',"b":[');
  const bids = scan.levels();
  scan.literal(',"a":[');
  const asks = scan.levels();
  scan.literal('}}');
  if (!scan.isDone) return undefined;
  return { type: 'depth', timeMs, firstId, lastId, previousLastId, bids, asks };
}

/** A bare `depth` response names no instrument on USD-M and is assumed to be this one's. Never throws. */
export function parseMessage(text: string, start: number, venueInstrument: string, market: BinanceMarket): BinanceMessage {
  if (isOversized(text, start)) return rejected('oversized_frame');
  const channelStart = text.startsWith(STREAM_PREFIX, start) ? text.indexOf('@', start + STREAM_PREFIX.length) : -1;
  if (channelStart >= 0 && channelStart < start + STREAM_CHARACTERS_MAX) {
    if (text.startsWith('@bookTicker"', channelStart)) return IGNORED;
    const isDiff = text.startsWith('@depth@', channelStart) || text.startsWith('@depth"', channelStart);
    const diff = isDiff ? scanDiff(text, start, venueInstrument, market) : undefined;
    if (diff !== undefined) return diff;
  }
  return parseJson(start === 0 ? text : text.slice(start), venueInstrument, market);
}

export function parseJson(text: string, venueInstrument: string, market: BinanceMarket): BinanceMessage {
  const message = parseObject(text);
  if (message === undefined) return rejected('broken_json');
  if ('lastUpdateId' in message) return readSnapshot(message, venueInstrument, market);
  const { stream, data } = message;
  if (message['result'] === null && 'id' in message) return IGNORED;
  if (!isObject(data)) return rejected('unknown_message');
  switch (data['e']) {
    case 'depthUpdate':
      if (typeof stream === 'string' && BEST_LEVELS.test(stream)) return rejected('unknown_message');
      return readDiff(data, venueInstrument);
    case 'trade':
      return readTrade(data, venueInstrument);
    case 'aggTrade':
      return readTrade({ ...data, t: data['a'] }, venueInstrument);
    case 'markPriceUpdate':
      return readMarkPrice(data, venueInstrument);
    case '24hrTicker':
      return readTicker(data, venueInstrument, market);
    case 'forceOrder':
      return readForceOrder(data, venueInstrument);
    case 'bookTicker':
      return IGNORED;
    default:
      return typeof stream === 'string' ? readAnswer(stream, data, venueInstrument, market) : rejected('unknown_message');
  }
}

function readAnswer(stream: string, data: Json, venueInstrument: string, market: BinanceMarket): BinanceMessage {
  const [name, channel] = stream.split('@');
  if (name?.toUpperCase() !== venueInstrument) return rejected('unknown_symbol');
  switch (channel) {
    case 'depthSnapshot':
      return readSnapshot(data, venueInstrument, market);
    case 'openInterest':
      return readOpenInterest(data, venueInstrument);
    case 'fundingInfo':
      return readFundingInfo(data, venueInstrument);
    case 'lastFunding':
      return readLastFunding(data, venueInstrument);
    case 'subscribed':
      return IGNORED;
    default:
      return rejected('unknown_message');
  }
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
  if (symbol !== venueInstrument && !(market === 'usdm' && symbol === undefined)) return rejected('unknown_symbol');
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
  const isNothing = venueNumber(price) === 0 && venueNumber(quantity) === 0;
  if (isNothing || OFF_BOOK.some((kind) => kind === data['X'])) return { type: 'no_trade', id };
  if (typeof price !== 'string' || !(venueNumber(price) > 0)) return rejected('bad_price');
  if (typeof quantity !== 'string' || !(venueNumber(quantity) > 0)) return rejected('bad_size');
  return { type: 'trade', timeMs, id, price, quantity, buyerIsMaker };
}
