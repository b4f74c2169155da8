import { type BookEvent, RecordedBestPrices } from '../src/index';
import { eventsOf } from './messages';
import { passInput, readLines } from './recording';

const lines = readLines('BTCUSD-PERP').slice(0, 4_000);
const books = eventsOf(passInput('BTCUSD-PERP', lines)).filter((event): event is BookEvent => event.kind === 'book');

function compared(reported: readonly BookEvent[], instrument = 'BTCUSD_PERP') {
  const prices = new RecordedBestPrices(instrument, reported);
  for (const line of lines) prices.accept(line);
  return prices.finish();
}

test('every book of the bundled recording has the best prices and sizes that the recording itself contains', () => {
  expect(books.length).toBeGreaterThan(20);
  const { comparedTotal, notComparedTotal, ...found } = compared(books);
  expect(found).toEqual({ equalTotal: comparedTotal, reasons: notComparedTotal === 0 ? [] : ['no_best_prices'] });
  // Books before the first ticker cannot be compared.
  expect(comparedTotal + notComparedTotal).toBe(books.length * 4);
  expect(comparedTotal).toBeGreaterThanOrEqual((books.length - 1) * 4);
});

test('a book off by one tick is found, regardless of the order of books', () => {
  const [first, ...others] = books.slice(5);
  if (first === undefined) throw new Error('the recording has too few books');
  const bids = [{ ...first.bids[0], price: '1', size: first.bids[0]?.size ?? '' }, ...first.bids.slice(1)];
  const found = compared([...others.toReversed(), { ...first, bids }]);
  expect(found.comparedTotal - found.equalTotal).toBe(1);
  expect(found.largest).toMatchObject({ field: 'bid_price', atMs: first.exchangeTsMs, ours: '1', theirs: first.bids[0]?.price });
});

test('an instrument without recorded best prices is not compared', () => {
  expect(compared(books.slice(0, 2), 'ETHUSD_PERP')).toEqual({
    comparedTotal: 0,
    equalTotal: 0,
    notComparedTotal: 8,
    reasons: ['no_best_prices'],
  });
});
