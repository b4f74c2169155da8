import type { Channel, LiquidationEvent, TradeEvent } from '../event';
import type { Levels } from '../book-side';
import { streamLines } from '../numbered/stream-lines';
import { krakenInstrument, krakenName } from './venue';
import { decimalAsSent, plainDecimal, positiveAsSent, positiveDecimal, unsignedAsSent, venueNumber } from '../decimal';
import { isCount, isObject, type Json, parseObject } from '../json';
import { type Entry, type EntryFrame, type NumberedMessage, readEntries } from '../numbered/message';
import { IGNORED, isOversized, rejected, type RejectionReason } from '../rejections';

/** Forced closes are trades of type `liquidation`. */
const CHANNEL_OF: Readonly<Record<string, Channel>> = {
  book: 'book',
  book_snapshot: 'book',
  trade: 'liquidation',
  trade_snapshot: 'liquidation',
  ticker: 'context',
};

const HEAD = 200;
const PRODUCT = /^[0-9]{16,20}\s+\{\s*"feed"\s*:\s*"[a-z_]{1,40}"\s*,\s*"product_id"\s*:\s*"([^"\\]{1,40})"/;

const TAKERS = new Map<unknown, TradeEvent['aggressorSide']>([
  ['buy', 'buy'],
  ['sell', 'sell'],
]);

/** The liquidation engine's order is the taker: its sale closes a long. */
const LIQUIDATED: Readonly<Record<TradeEvent['aggressorSide'], LiquidationEvent['positionSide']>> = { sell: 'long', buy: 'short' };

/** Feeds without market data. */
const OTHER_FEEDS: readonly unknown[] = ['heartbeat'];

/** Frames of other instruments are ignored. Never throws. */
function parseFrame(text: string, venueInstrument: string): NumberedMessage {
  if (isOversized(text)) return rejected('oversized_frame');
  const frame = parseObject(text);
  if (frame === undefined) return rejected('broken_json');
  const { feed, product_id: name } = frame;
  if ('event' in frame || OTHER_FEEDS.includes(feed)) return IGNORED;
  if (typeof name !== 'string') return rejected('unknown_message');
  if (name !== venueInstrument) return IGNORED;
  switch (feed) {
    case 'book_snapshot':
      return readSnapshot(frame);
    case 'book':
      return readChange(frame);
    case 'trade':
      return entriesOf('trade', [frame]);
    case 'trade_snapshot':
      return entriesOf('trade', frame['trades']);
    case 'ticker':
      return readTicker(frame);
    default:
      return rejected('unknown_message');
  }
}

/** The venue sends numbers, not text. */
function sent(value: unknown): string | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? plainDecimal(value) : undefined;
}

function readSnapshot({ timestamp: timeMs, seq, bids, asks }: Json): NumberedMessage {
  if (!isCount(timeMs) || !isCount(seq)) return rejected('unknown_message');
  const [bidLevels, askLevels] = [levelsOf(bids), levelsOf(asks)];
  if (typeof bidLevels === 'string') return rejected(bidLevels);
  if (typeof askLevels === 'string') return rejected(askLevels);
  return { type: 'snapshot', timeMs, updateId: seq, previousId: seq, bids: bidLevels, asks: askLevels };
}

/** Empty levels occur in snapshots and are left out. */
function levelsOf(value: unknown): Levels | RejectionReason {
  if (!Array.isArray(value)) return 'unknown_message';
  const [prices, sizes]: [number[], number[]] = [[], []];
  for (const level of value as unknown[]) {
    if (!isObject(level)) return 'unknown_message';
    const [price, size] = [venueNumber(sent(level['price'])), venueNumber(sent(level['qty']))];
    if (!(price > 0)) return 'bad_price';
    if (!(size >= 0)) return 'bad_size';
    if (size === 0) continue;
    prices.push(price);
    sizes.push(size);
  }
  return { prices, sizes };
}

/** One level. `seq` rises by exactly 1 per frame of an instrument's book. */
function readChange({ timestamp: timeMs, seq, side, price, qty }: Json): NumberedMessage {
  if (!isCount(timeMs) || !isCount(seq) || (side !== 'buy' && side !== 'sell')) return rejected('unknown_message');
  const [level, size] = [venueNumber(sent(price)), venueNumber(sent(qty))];
  if (!(level > 0)) return rejected('bad_price');
  if (!(size >= 0)) return rejected('bad_size');
  const changed: Levels = { prices: [level], sizes: [size] };
  const none: Levels = { prices: [], sizes: [] };
  const [bids, asks] = side === 'buy' ? [changed, none] : [none, changed];
  return { type: 'delta', timeMs, updateId: seq, previousId: seq - 1, bids, asks };
}

/** A snapshot of trades is newest first. */
function entriesOf(channel: EntryFrame['channel'], rows: unknown): NumberedMessage {
  if (!Array.isArray(rows)) return rejected('unknown_message');
  const inOrder = (rows as unknown[]).toSorted((a, b) => numberOf(a) - numberOf(b));
  return readEntries(channel, inOrder, readTrade);
}

function numberOf(row: unknown): number {
  return isObject(row) && isCount(row['seq']) ? row['seq'] : 0;
}

/** Blocks, terminations and assignments are not trades on the book, but use a number. */
function readTrade({ uid: id, side, type, seq: number, time: timeMs, qty, price: at }: Json): Entry {
  const aggressorSide = TAKERS.get(side);
  if (!isCount(number) || !isCount(timeMs) || typeof id !== 'string' || id === '') return rejected('unknown_message');
  if (type !== 'fill' && type !== 'liquidation') return { type: 'no_trade', number };
  if (aggressorSide === undefined) return rejected('unknown_message');
  const price = positiveDecimal(sent(at));
  if (price === undefined) return rejected('bad_price');
  const quantity = positiveDecimal(sent(qty));
  if (quantity === undefined) return rejected('bad_size');
  const liquidated = type === 'liquidation' ? { liquidated: LIQUIDATED[aggressorSide] } : {};
  return { type: 'trade', timeMs, id, price, quantity, aggressorSide, number, ...liquidated };
}

/** Each ticker is complete. `relative_funding_rate` is the rate of one hour; `funding_rate` is dollars a contract. */
function readTicker(row: Json): NumberedMessage {
  const { time: timeMs, relative_funding_rate: rate, openInterest, markPrice, index, volumeQuote, last } = row;
  if (!isCount(timeMs)) return rejected('unknown_message');
  const fundingRate = decimalAsSent(sent(rate));
  const lastPrice = positiveDecimal(sent(last));
  return {
    type: 'ticker',
    isSnapshot: true,
    timeMs,
    id: String(timeMs),
    fields: {
      ...(fundingRate !== undefined && { fundingRate, fundingIntervalHour: '1' }),
      openInterest: unsignedAsSent(sent(openInterest)),
      markPrice: positiveAsSent(sent(markPrice)),
      indexPrice: positiveAsSent(sent(index)),
      turnover24h: unsignedAsSent(sent(volumeQuote)),
    },
    ...(lastPrice !== undefined && { lastPrice }),
  };
}

export const krakenStreamLines = streamLines({
  id: 'kraken-ws',
  title: 'Kraken Futures public frames: receive time in nanoseconds, then the frame',
  example: '1786310819720000000 {"feed":"book","product_id":"PF_XBTUSD","side":"sell","seq":326094134,…}',
  venue: 'kraken',
  parseName: krakenName,
  namedAtHead: (line) => PRODUCT.exec(line.slice(0, HEAD))?.[1],
  namesOf: ({ feed, product_id: name }) => (typeof feed === 'string' && typeof name === 'string' ? [name] : undefined),
  channelOf: ({ feed }) => CHANNEL_OF[String(feed)],
  parse: parseFrame,
  factsOf: krakenInstrument,
});
