import { isCheckable, columnsOf, pickColumns, unknownColumns } from './columns';
import { DATASETS, isLogDataset } from './datasets';
import { FORMATS } from './formats';

const LOG = [
  'symbol',
  'venue',
  'ordinal',
  'epoch',
  'pass',
  'exchange_ts_ms',
  'exchange_time_utc',
  'received_ts_ms',
  'received_time_utc',
  'exchange_ts_is_receive_time',
  'flags',
  'venue_id',
];

const namesOf = (choice: Parameters<typeof columnsOf>[0]) => columnsOf(choice).map(({ name }) => name);

test('no file has two columns of one name', () => {
  for (const dataset of DATASETS) {
    for (const format of FORMATS) {
      const names = namesOf({ dataset, format });
      expect({ dataset, format, names: [...new Set(names)] }).toEqual({ dataset, format, names });
    }
  }
});

test('datasets of the log begin with the columns of the log', () => {
  for (const dataset of DATASETS.filter(isLogDataset)) {
    expect(namesOf({ dataset, format: 'parquet' }).slice(0, LOG.length)).toEqual(LOG);
  }
});

test('a book has lists of levels, and in CSV a column for each value of a level', () => {
  expect(namesOf({ dataset: 'book', format: 'ndjson' }).slice(LOG.length)).toEqual(['bids', 'asks']);
  expect(namesOf({ dataset: 'book', format: 'csv', depth: 2 }).slice(LOG.length)).toEqual([
    ...['bid_price_1', 'bid_size_1', 'bid_venue_size_1', 'bid_price_2', 'bid_size_2', 'bid_venue_size_2'],
    ...['ask_price_1', 'ask_size_1', 'ask_venue_size_1', 'ask_price_2', 'ask_size_2', 'ask_venue_size_2'],
  ]);
  expect(namesOf({ dataset: 'book', format: 'csv' })).toHaveLength(LOG.length + 60);
  expect(namesOf({ dataset: 'book', format: 'csv', depth: 1000 })).toHaveLength(LOG.length + 150);
});

test('no column of a CSV file holds a list', () => {
  for (const dataset of DATASETS) {
    for (const { type } of columnsOf({ dataset, format: 'csv' })) expect(type).not.toContain('[]');
  }
});

test('columns come in the order asked for, and unknown ones are named', () => {
  const choice = { dataset: 'trades', format: 'csv' } as const;
  expect(pickColumns(choice, ['price', 'symbol']).map(({ name }) => name)).toEqual(['price', 'symbol']);
  expect(pickColumns(choice, [])).toEqual(columnsOf(choice));
  expect(unknownColumns(choice, ['price', 'side', 'Price'])).toEqual(['side', 'Price']);
});

const without = (dataset: 'trades' | 'candles' | 'packets', ...left: string[]) => {
  const choice = { dataset, format: 'parquet' } as const;
  return isCheckable(
    choice,
    namesOf(choice).filter((name) => !left.includes(name)),
  );
};

test('a file can be checked only with what its rows are made of', () => {
  for (const dataset of DATASETS) expect(isCheckable({ dataset, format: 'parquet' }, [])).toBe(true);
  expect(without('trades', 'exchange_time_utc', 'received_time_utc', 'flags')).toBe(true);
  for (const name of ['ordinal', 'epoch', 'price', 'venue_size', 'exchange_ts_is_receive_time'])
    expect(without('trades', name)).toBe(false);
  expect(without('candles', 'open_ts_ms')).toBe(true);
  expect(without('candles', 'open_time_utc')).toBe(false);
  expect(without('packets', 'tags', 'state')).toBe(true);
  expect(without('packets', 'body')).toBe(false);
});

test('a book with fewer levels than are recorded cannot be checked', () => {
  expect(isCheckable({ dataset: 'book', format: 'csv' }, [])).toBe(false);
  expect(isCheckable({ dataset: 'book', format: 'csv', depth: 25 }, [])).toBe(true);
  expect(isCheckable({ dataset: 'book', format: 'parquet', depth: 24 }, [])).toBe(false);
  expect(isCheckable({ dataset: 'book', format: 'parquet', depth: 1000 }, [])).toBe(true);
});
