import type { LiquidationEvent, TradeEvent, Channel } from '../event';
import { type NotAccepted, IGNORED, rejected, isOversized } from '../rejections';
import { isCount, isObject, type Json, parseObject } from '../json';
import { decimalAsSent, positiveAsSent, unsignedAsSent, positiveDecimal } from '../decimal';
import { type NumberedLiquidation, type NumberedMessage, type NumberedTrade, readEntries, type TickerFields } from '../numbered/message';
import { isInverseName, type BybitMarket, bybitInstrument, bybitInverseName, bybitName } from './venue';
import { readLevels } from '../book-side';
import { streamLines } from '../numbered/stream-lines';

export const BOOK_LEVELS = 200;

/** Topic of inserted answers of `recent-trade`. */
const RECENT_TRADES = 'recentTrades';

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
] as const;

/** 24-hour volume in the quote currency: that of inverse contracts counts dollars. */
function turnoverField(venueInstrument: string): 'turnover24h' | 'volume24h' {
  return isInverseName(venueInstrument) ? 'volume24h' : 'turnover24h';
}

/** Skips other topics without parsing. Never throws. */
export function parseFrame(text: string, venueInstrument: string, bookLevels = BOOK_LEVELS): NumberedMessage {
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
      return isObject(data) ? readTicker(frame, data, venueInstrument) : rejected('unknown_message');
    case 'publicTrade':
      return readEntries('trade', data, readTrade);
    case 'allLiquidation':
      return readEntries('liquidation', data, readLiquidation);
    case RECENT_TRADES:
      return readEntries(undefined, isObject(data) && isObject(data['result']) ? data['result']['list'] : undefined, readRecentTrade);
    default:
      return rejected('unknown_message');
  }
}

function isUnused(topic: string, venueInstrument: string, bookLevels: number): boolean {
  if (!topic.endsWith(`.${venueInstrument}`)) return topic.includes('.');
  return topic.startsWith('kline.') || (topic.startsWith('orderbook.') && !topic.startsWith(`orderbook.${bookLevels}.`));
}

/** `cts` is the matching engine's time. `u` rises by exactly 1 per frame; it restarts at 1 with the venue's service. */
function readBook({ type, cts, ts }: Json, { u: updateId, b, a }: Json): NumberedMessage {
  const timeMs = cts ?? ts;
  if ((type !== 'snapshot' && type !== 'delta') || !isCount(timeMs) || !isCount(updateId)) return rejected('unknown_message');
  const bids = readLevels(b, type === 'delta');
  if (typeof bids === 'string') return rejected(bids);
  const asks = readLevels(a, type === 'delta');
  if (typeof asks === 'string') return rejected(asks);
  return { type, timeMs, updateId, previousId: updateId - 1, bids, asks };
}

function readTicker({ type, ts: timeMs, cs }: Json, data: Json, venueInstrument: string): NumberedMessage {
  if ((type !== 'snapshot' && type !== 'delta') || !isCount(timeMs) || !isCount(cs)) return rejected('unknown_message');
  const fields: Partial<Record<(typeof TICKER_FIELDS)[number][0] | 'turnover24h', string>> = {};
  for (const [name, read, fault] of TICKER_FIELDS) {
    const value = data[name];
    if (value === undefined || value === '') continue;
    const decimal = read(value);
    if (decimal === undefined) return rejected(fault);
    fields[name] = decimal;
  }
  const turnover = data[turnoverField(venueInstrument)];
  if (turnover !== undefined && turnover !== '') {
    const decimal = unsignedAsSent(turnover);
    if (decimal === undefined) return rejected('bad_size');
    fields.turnover24h = decimal;
  }
  const lastPrice = positiveDecimal(data['lastPrice']);
  return {
    type: 'ticker',
    isSnapshot: type === 'snapshot',
    timeMs,
    id: String(cs),
    fields: fields satisfies TickerFields,
    ...(lastPrice !== undefined && { lastPrice }),
  };
}

function wholeHours(value: unknown): string | undefined {
  return typeof value === 'string' && /^[1-9][0-9]{0,2}$/.test(value) ? value : undefined;
}

/** Block trades (`BT`) are negotiated off-book and have no aggressor. */
function readTrade({ T: timeMs, S: side, v, p, i: id, BT: isBlock }: Json): NumberedTrade | NotAccepted {
  const aggressorSide = TAKERS.get(side);
  if (!isCount(timeMs) || typeof id !== 'string' || id === '' || aggressorSide === undefined) return rejected('unknown_message');
  if (isBlock === true) return IGNORED;
  const price = positiveDecimal(p);
  if (price === undefined) return rejected('bad_price');
  const quantity = positiveDecimal(v);
  if (quantity === undefined) return rejected('bad_size');
  return { type: 'trade', timeMs, id, price, quantity, aggressorSide };
}

function readRecentTrade({ execId, price, size, side, time, isBlockTrade }: Json): NumberedTrade | NotAccepted {
  return readTrade({ i: execId, p: price, v: size, S: side, T: Number(time), BT: isBlockTrade });
}

/** `p` is the bankruptcy price, `v` the size. */
function readLiquidation({ T: timeMs, S: side, v, p }: Json): NumberedLiquidation | NotAccepted {
  const positionSide = POSITIONS.get(side);
  if (!isCount(timeMs) || positionSide === undefined) return rejected('unknown_message');
  const price = positiveDecimal(p);
  if (price === undefined) return rejected('bad_price');
  const quantity = positiveDecimal(v);
  if (quantity === undefined) return rejected('bad_size');
  return { type: 'liquidation', timeMs, positionSide, price, quantity };
}

const CHANNEL_OF: Readonly<Record<string, Channel>> = {
  orderbook: 'book',
  publicTrade: 'trade',
  recentTrades: 'trade',
  tickers: 'context',
  allLiquidation: 'liquidation',
};

const HEAD = 160;
const TOPIC = /^[0-9]{16,20}\s+\{\s*"topic"\s*:\s*"[A-Za-z0-9.]{1,30}\.([^.\\"]{1,40})"/;

function topicOf({ topic }: Json): readonly [kind: string, name: string] | undefined {
  if (typeof topic !== 'string' || !topic.includes('.')) return undefined;
  return [topic.slice(0, topic.indexOf('.')), topic.slice(topic.lastIndexOf('.') + 1)];
}

function linesOf(market: BybitMarket) {
  const isInverse = market === 'inverse';
  return streamLines({
    id: isInverse ? 'bybit-inverse-ws' : 'bybit-ws',
    title: `Bybit v5 public ${market} frames: receive time in nanoseconds, then the frame`,
    example: `1786310819720000000 {"topic":"orderbook.200.${isInverse ? 'BTCUSD' : 'BTCUSDT'}","type":"delta","ts":1786310818130,…}`,
    venue: isInverse ? 'bybit-inverse' : 'bybit',
    parseName: isInverse ? bybitInverseName : bybitName,
    namedAtHead(line) {
      const name = TOPIC.exec(line.slice(0, HEAD))?.[1];
      return name === undefined || isInverseName(name) !== isInverse ? undefined : name;
    },
    namesOf(frame) {
      const name = topicOf(frame)?.[1];
      return name === undefined || isInverseName(name) !== isInverse ? undefined : [name];
    },
    channelOf: (frame) => CHANNEL_OF[topicOf(frame)?.[0] ?? ''],
    parse: parseFrame,
    factsOf: (symbol, name, channels) => bybitInstrument(symbol, name, channels, market),
  });
}

export const bybitStreamLines = linesOf('linear');
export const bybitInverseStreamLines = linesOf('inverse');
