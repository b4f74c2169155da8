import type { BookEvent, ContextEvent } from '../event';
import { compareBook, type AuditedCandle, compareCandles, compareContext } from './comparison';
import type { BestPrices, VenueCandle } from './venue-answers';

const AT = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;
const ENVELOPE = {
  ...{ venue: 'v', symbol: 'BTCUSD-PERP', pass: 0, exchangeTsIsReceiveTime: false, ordinal: 1, epoch: 1 },
} as const;

function candle(openMs: number, facts: Partial<AuditedCandle> = {}): AuditedCandle {
  const row = { open: '100', high: '102', low: '99', close: '101', volume: '2.5', notional: '251', tradeTotal: 4 };
  return { openMs, complete: true, gap: false, row, ...facts };
}

function reported(openMs: number, facts: Partial<VenueCandle> = {}): VenueCandle {
  const prices = { open: '100.0', high: '102.0', low: '99.0', close: '101.0' };
  return { openMs, ...prices, turnover: { field: 'volume', value: '2.50' }, tradeTotal: 4, ...facts };
}

test('candles are equal by value, not by how a number is written', () => {
  expect(compareCandles([candle(AT)], [reported(AT)])).toEqual({ comparedTotal: 6, equalTotal: 6, notComparedTotal: 0, reasons: [] });
  const contracts = reported(AT, { turnover: { field: 'notional', value: '251.00' } });
  expect(compareCandles([candle(AT)], [contracts])).toMatchObject({ comparedTotal: 6, equalTotal: 6 });
});

test('of differing candles the largest share is reported, and the span of their minutes', () => {
  const theirs = [reported(AT, { high: '102.3' }), reported(AT + MINUTE_MS, { low: '98' })];
  expect(compareCandles([candle(AT), candle(AT + MINUTE_MS)], theirs)).toEqual({
    ...{ comparedTotal: 12, equalTotal: 10, notComparedTotal: 0, reasons: [] },
    largest: { field: 'low', atMs: AT + MINUTE_MS, ours: '99', theirs: '98', by: '1' },
    ...{ differsFromMs: AT, differsToMs: AT + 2 * MINUTE_MS },
  });
});

test('a minute without trades is equal where the venue has none; one that is not whole is left out with the reason', () => {
  const empty = candle(AT, { row: undefined });
  expect(compareCandles([empty], [])).toMatchObject({ comparedTotal: 1, equalTotal: 1 });
  expect(compareCandles([empty], [reported(AT, { tradeTotal: 0 })])).toMatchObject({ comparedTotal: 1, equalTotal: 1 });
  expect(compareCandles([empty], [reported(AT)])).toMatchObject({ largest: { field: 'trade_total', ours: '0', theirs: '4', by: '4' } });
  expect(compareCandles([candle(AT)], [])).toMatchObject({ comparedTotal: 1, equalTotal: 0 });
  const left = [candle(AT, { gap: true }), candle(AT + MINUTE_MS, { complete: false })];
  expect(compareCandles(left, [reported(AT), reported(AT + MINUTE_MS)])).toEqual({
    ...{ comparedTotal: 0, equalTotal: 0, notComparedTotal: 12, reasons: ['gap', 'not_recorded'] },
  });
});

function book(atMs: number, id: string, bid: string, ask: string): BookEvent {
  const level = (price: string) => [{ price, size: '1.5' }];
  return { ...ENVELOPE, kind: 'book', venueId: id, exchangeTsMs: atMs, receivedTsMs: atMs, bids: level(bid), asks: level(ask) };
}

function best(place: BestPrices['place'], bid: string, ask: string, size = '1.5'): BestPrices {
  return { place, timeMs: AT, bid: { price: bid, size }, ask: { price: ask, size } };
}

const BOOKS = [book(AT - 200, '10', '100', '101'), book(AT + 50, '20', '100.5', '101')];

test('the book of the same time or id must be the same in price and size', () => {
  expect(compareBook(BOOKS, best({ by: 'time', value: AT - 200 }, '100.0', '101'), [])).toMatchObject({ comparedTotal: 4, equalTotal: 4 });
  expect(compareBook(BOOKS, best({ by: 'id', value: 20 }, '100.5', '101', '2'), [])).toMatchObject({
    ...{ comparedTotal: 4, equalTotal: 2, largest: { field: 'bid_size', ours: '1.5', theirs: '2', by: '0.5' } },
  });
});

test('between two books each price must lie between theirs, unless something is missing there', () => {
  const at = (bid: string, ask = '101') => best({ by: 'id', value: 15 }, bid, ask);
  expect(compareBook(BOOKS, at('100.3'), [])).toMatchObject({ comparedTotal: 2, equalTotal: 2 });
  expect(compareBook(BOOKS, at('100.6'), [])).toMatchObject({ equalTotal: 1, largest: { field: 'bid_price', ours: '100.5', by: '0.1' } });
  expect(compareBook(BOOKS, at('99.9', '101.1'), [])).toMatchObject({ equalTotal: 0, largest: { ours: '100', theirs: '99.9' } });
  expect(compareBook(BOOKS, at('100.3'), [{ startMs: AT, endMs: Infinity }])).toMatchObject({ comparedTotal: 0, reasons: ['gap'] });
  expect(compareBook(BOOKS, best({ by: 'id', value: 21 }, '100', '101'), [])).toMatchObject({
    notComparedTotal: 4,
    reasons: ['not_recorded'],
  });
});

function context(atMs: number, markPrice: string, fundingRate = '0.0001', venueId = ''): ContextEvent {
  return { ...ENVELOPE, kind: 'context', venueId, exchangeTsMs: atMs, receivedTsMs: atMs, markPrice, fundingRate };
}

const CONTEXTS = [context(AT - 3_000, '100'), context(AT - 1_000, '0.5', '0.0009', 'funding-1'), context(AT + 2_000, '103')];
const ASKED = { requestedAtMs: AT, answeredMs: AT + 20 };

test('a price without a time of its own must be the one before, the next one, or lie between; payments of the past are no rates of now', () => {
  const compared = (markPrice: string) => compareContext('mark_price', CONTEXTS, { markPrice }, ASKED, []);
  for (const price of ['100.0', '101.5', '103']) expect(compared(price)).toMatchObject({ comparedTotal: 1, equalTotal: 1 });
  expect(compared('103.5')).toMatchObject({ equalTotal: 0, largest: { ours: '103', theirs: '103.5', by: '0.5', atMs: AT } });
  expect(compareContext('funding_rate', CONTEXTS, { fundingRate: '0.0009' }, ASKED, [])).toMatchObject({ equalTotal: 0 });
});

test('a price with a time must be that of the time; nothing is compared across a gap, before the first, or without a value', () => {
  const timed = { timeMs: AT + 2_000, markPrice: '102' };
  expect(compareContext('mark_price', CONTEXTS, timed, ASKED, [])).toMatchObject({ equalTotal: 0, largest: { ours: '103', by: '1' } });
  const missing = [{ startMs: AT + 500, endMs: AT + 600 }];
  expect(compareContext('mark_price', CONTEXTS, { markPrice: '101' }, ASKED, missing)).toMatchObject({ reasons: ['gap'] });
  expect(compareContext('mark_price', CONTEXTS.slice(2), { markPrice: '101' }, ASKED, [])).toMatchObject({ reasons: ['not_recorded'] });
  expect(compareContext('mark_price', CONTEXTS, {}, ASKED, [])).toMatchObject({ notComparedTotal: 1, reasons: ['no_venue_value'] });
});

test('of a rate that is paid every eight hours that of a payment is compared', () => {
  const eightHours = { ...context(AT - 1_000, '100', '0.0000125'), venueFundingRate: '0.00010000', fundingIntervalHours: 8 };
  expect(compareContext('funding_rate', [eightHours], { fundingRate: '0.0001' }, ASKED, [])).toMatchObject({ equalTotal: 1 });
});
