import { exportFaults } from './validation-errors';

const DAY_MS = 86_400_000;
const typesOf = (...request: Parameters<typeof exportFaults>) => exportFaults(...request).map(({ field, type }) => `${field} ${type}`);

test('a request that goes together has no fault', () => {
  expect(typesOf({ dataset: 'candles', format: 'csv', compression: 'gzip', tf: '1h', columns: ['open', 'close'] })).toEqual([]);
  expect(typesOf({ dataset: 'book', format: 'csv', depth: 2, columns: ['ask_size_2'] })).toEqual([]);
  expect(typesOf({ dataset: 'packets', format: 'parquet', compression: 'snappy', fromMs: 0, toMs: 31 * DAY_MS })).toEqual([]);
});

test('every fault is found at once', () => {
  expect(
    typesOf({ dataset: 'trades', format: 'csv', compression: 'snappy', tf: '1m', depth: 5, columns: ['side'], fromMs: 2, toMs: 1 }),
  ).toEqual(['compression compression_of_format', 'tf not_of_dataset', 'depth not_of_dataset', 'columns unknown_column', 'from window']);
  expect(typesOf({ dataset: 'trades', format: 'csv', fromMs: 0, toMs: 31 * DAY_MS + 1 })).toEqual(['to window_too_long']);
});

test('an unknown column is named, with those that are known', () => {
  expect(exportFaults({ dataset: 'liquidations', format: 'ndjson', columns: ['price', 'side', 'side'] })[0]?.message).toBe(
    'has "side", which is not a column of liquidations in ndjson. Columns: symbol, venue, ordinal, epoch, pass, exchange_ts_ms, ' +
      'exchange_time_utc, received_ts_ms, received_time_utc, exchange_ts_is_receive_time, flags, venue_id, position_side, price, size, ' +
      'venue_size, provenance',
  );
  expect(typesOf({ dataset: 'book', format: 'csv', depth: 2, columns: ['ask_size_3', 'bids'] })).toEqual(['columns unknown_column']);
});
