import type { Channel, LiquidationEvent, TradeEvent } from '../event';
import { isObject, isCount, type Json, parseObject } from '../json';
import { readLevels } from '../book-side';
import { streamLines } from '../numbered/stream-lines';
import { okxName, okxFundingHours, okxIndexOf } from './venue';
import { decimalAsSent, positiveAsSent, positiveDecimal, unsignedAsSent } from '../decimal';
import { type NumberedLiquidation, type NumberedMessage, type NumberedTrade, readEntries, type TickerFields } from '../numbered/message';
import { IGNORED, isOversized, type NotAccepted, rejected } from '../rejections';

const CHANNEL_OF: Readonly<Record<string, Channel>> = {
  books: 'book',
  'trades-all': 'trade',
  'recent-trades': 'trade',
  'mark-price': 'context',
  'liquidation-orders': 'liquidation',
};

const HEAD = 200;
const ARGUMENT = /^[0-9]{16,20}\s+\{\s*"arg"\s*:\s*\{\s*"channel"\s*:\s*"([a-z-]{1,40})"\s*,\s*"instId"\s*:\s*"([^"\\]{1,40})"/;

/** Channel of inserted answers of `market/trades`. */
const RECENT_TRADES = 'recent-trades';
/** Order sides: a forced sale closes a long. `posSide` is `net` for positions in net mode. */
const CLOSED_BY = new Map<unknown, LiquidationEvent['positionSide']>([
  ['sell', 'long'],
  ['buy', 'short'],
]);
const TAKERS = new Map<unknown, TradeEvent['aggressorSide']>([
  ['buy', 'buy'],
  ['sell', 'sell'],
]);

/** Frames of other instruments and channels are ignored. Never throws. */
function parseFrame(text: string, venueInstrument: string): NumberedMessage {
  if (isOversized(text)) return rejected('oversized_frame');
  const frame = parseObject(text);
  if (frame === undefined) return rejected('broken_json');
  const { arg, data } = frame;
  if (!isObject(arg) || 'event' in frame) return 'event' in frame ? IGNORED : rejected('unknown_message');
  const { channel, instId } = arg;
  if (channel === 'liquidation-orders') return readLiquidations(data, venueInstrument);
  if (instId !== venueInstrument && !(channel === 'index-tickers' && instId === okxIndexOf(venueInstrument))) return IGNORED;
  if (channel === RECENT_TRADES) return readEntries(undefined, isObject(data) ? data['data'] : undefined, readTrade);
  if (channel === 'trades-all') return readEntries('trade', data, readTrade);
  const [row] = Array.isArray(data) ? (data as unknown[]) : [];
  if (!isObject(row)) return rejected('unknown_message');
  if (channel === 'books') return readBook(frame['action'], row);
  return typeof channel === 'string' ? readTicker(channel, row) : rejected('unknown_message');
}

/** `prevSeqId` is the last frame's `seqId`; equal to `seqId` without a change. After maintenance `seqId` may be lower. */
function readBook(action: unknown, { ts, seqId, prevSeqId, bids, asks }: Json): NumberedMessage {
  const isSnapshot = action === 'snapshot';
  const timeMs = Number(ts);
  if ((!isSnapshot && action !== 'update') || !isCount(timeMs) || !isCount(seqId) || !Number.isSafeInteger(prevSeqId))
    return rejected('unknown_message');
  const [bidLevels, askLevels] = [readLevels(bids, !isSnapshot), readLevels(asks, !isSnapshot)];
  if (typeof bidLevels === 'string') return rejected(bidLevels);
  if (typeof askLevels === 'string') return rejected(askLevels);
  const type = isSnapshot ? 'snapshot' : 'delta';
  return { type, timeMs, updateId: seqId, previousId: Number(prevSeqId), bids: bidLevels, asks: askLevels };
}

/** `side` is the taker's. */
function readTrade({ tradeId: id, px, sz, side, ts }: Json): NumberedTrade | NotAccepted {
  const [timeMs, aggressorSide] = [Number(ts), TAKERS.get(side)];
  if (!isCount(timeMs) || typeof id !== 'string' || id === '' || aggressorSide === undefined) return rejected('unknown_message');
  const price = positiveDecimal(px);
  if (price === undefined) return rejected('bad_price');
  const quantity = positiveDecimal(sz);
  return quantity === undefined ? rejected('bad_size') : { type: 'trade', timeMs, id, price, quantity, aggressorSide };
}

/** One subscription covers every swap. */
function readLiquidations(data: unknown, venueInstrument: string): NumberedMessage {
  if (!Array.isArray(data)) return rejected('unknown_message');
  const own = (data as unknown[]).filter(isObject).filter(({ instId }) => instId === venueInstrument);
  if (own.length === 0) return IGNORED;
  const details = own.flatMap((row) => (Array.isArray(row['details']) ? (row['details'] as unknown[]) : [undefined]));
  return readEntries('liquidation', details, readLiquidation);
}

function readLiquidation({ posSide, side, bkPx, sz, ts }: Json): NumberedLiquidation | NotAccepted {
  const timeMs = Number(ts);
  const positionSide = posSide === 'long' || posSide === 'short' ? posSide : CLOSED_BY.get(side);
  if (!isCount(timeMs) || positionSide === undefined) return rejected('unknown_message');
  const price = positiveDecimal(bkPx);
  if (price === undefined) return rejected('bad_price');
  const quantity = positiveDecimal(sz);
  return quantity === undefined ? rejected('bad_size') : { type: 'liquidation', timeMs, positionSide, price, quantity };
}

/** Only mark prices make a context entry; other values wait for the next one. */
function readTicker(channel: string, row: Json): NumberedMessage {
  const timeMs = Number(row['ts']);
  if (!isCount(timeMs)) return rejected('unknown_message');
  const frame = { type: 'ticker', isSnapshot: false, timeMs, id: String(timeMs) } as const;
  const part = (fields: TickerFields): NumberedMessage => ({ ...frame, isPart: true, fields });
  switch (channel) {
    case 'mark-price': {
      const markPrice = positiveAsSent(row['markPx']);
      return markPrice === undefined ? rejected('bad_price') : { ...frame, fields: { markPrice } };
    }
    case 'index-tickers': {
      const indexPrice = positiveAsSent(row['idxPx']);
      return indexPrice === undefined ? rejected('bad_price') : part({ indexPrice });
    }
    case 'funding-rate': {
      const fundingRate = decimalAsSent(row['fundingRate']);
      if (fundingRate === undefined) return rejected('bad_size');
      const hours = okxFundingHours(row);
      return part({ fundingRate, fundingIntervalHour: hours === undefined ? undefined : String(hours) });
    }
    case 'open-interest': {
      const openInterestBase = unsignedAsSent(row['oiCcy']);
      return openInterestBase === undefined ? rejected('bad_size') : part({ openInterestBase });
    }
    case 'tickers': {
      const lastPrice = positiveDecimal(row['last']);
      return lastPrice === undefined ? IGNORED : { ...frame, isPart: true, fields: {}, lastPrice };
    }
    default:
      return rejected('unknown_message');
  }
}

export const okxStreamLines = streamLines({
  id: 'okx-ws',
  title: 'OKX v5 public frames of swaps: receive time in nanoseconds, then the frame',
  example: '1786310819720000000 {"arg":{"channel":"books","instId":"BTC-USDT-SWAP"},"action":"update","data":[…]}',
  venue: 'okx',
  parseName: okxName,
  namedAtHead(line) {
    const [, channel, instId] = ARGUMENT.exec(line.slice(0, HEAD)) ?? [];
    return channel === 'index-tickers' ? `${instId}-SWAP` : instId;
  },
  namesOf({ arg, data }) {
    if (!isObject(arg) || typeof arg['channel'] !== 'string') return undefined;
    const { channel, instId } = arg;
    if (channel === 'liquidation-orders') return namesIn(data);
    if (typeof instId !== 'string') return undefined;
    return channel === 'index-tickers' ? [`${instId}-SWAP`] : [instId];
  },
  channelOf: ({ arg }) => (isObject(arg) ? CHANNEL_OF[String(arg['channel'])] : undefined),
  parse: parseFrame,
  factsOf: () => undefined,
});

function namesIn(data: unknown): readonly string[] {
  const rows = Array.isArray(data) ? (data as unknown[]).filter(isObject) : [];
  return [...new Set(rows.flatMap(({ instId }) => (typeof instId === 'string' ? [instId] : [])))];
}
