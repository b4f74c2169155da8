import { type BookEvent, encodeEvent, type MarketEvent } from '@market-state/market-data';
import { readBookHead } from './book-head';

const envelope = {
  venue: 'binance-coinm',
  symbol: 'BTCUSD-PERP',
  pass: 3,
  venueId: '9007199254740993',
  exchangeTsMs: 1_767_657_540_123,
  exchangeTsIsReceiveTime: true,
  receivedTsMs: 1_767_657_540_999,
  ordinal: 4_294_967_297,
  epoch: 2,
};

test('the head of a book is its envelope, whatever its levels', () => {
  const level = { price: '64123.1', size: '0.00155949168', venueSize: '3' };
  for (const levels of [[], [level], Array.from({ length: 25 }, () => level)]) {
    const book: BookEvent = { kind: 'book', ...envelope, bids: levels, asks: levels };
    expect(readBookHead(encodeEvent(book))).toEqual({ kind: 'book', ...envelope });
  }
});

test.each<MarketEvent>([
  { kind: 'trade', ...envelope, price: '1', size: '1', aggressorSide: 'buy' },
  { kind: 'context', ...envelope, markPrice: '1' },
  { kind: 'liquidation', ...envelope, positionSide: 'long', price: '1', size: '1', provenance: 'proxy' },
  { kind: 'tick', ...envelope, feedClockMs: 1 },
  { kind: 'feed_status', ...envelope, status: { type: 'disconnected', reason: 'x' } },
])('an event of kind $kind has no book head', (event) => {
  expect(readBookHead(encodeEvent(event))).toBeUndefined();
});
