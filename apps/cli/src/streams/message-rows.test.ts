import { type RowMessage } from '@market-state/client';
import { cellText, csvLine, memberAt } from '../output/row-writer';
import { gapRow, rowColumns, rowOf } from './message-rows';

type Data = RowMessage['data'];

const streamed = (channel: Data['channel'], members: object): Data =>
  ({
    channel,
    sequence: 1,
    epoch: 1,
    exchange_time_utc: '2026-03-01T10:00:00.000Z',
    received_time_utc: '2026-03-01T10:00:00.050Z',
    flags: [],
    ...members,
  }) as object as Data;

const TRADE = streamed('trades', { row: { aggressor_side: 'buy', price: '60000.5', size: '0.2', venue_id: '77' } });
const BOOK = streamed('book', {
  row: {
    bids: [
      ['60000', '1.5'],
      ['59999', '2'],
    ],
    asks: [],
  },
});
const GAP = {
  gap_id: 'gap_1',
  channel: 'trades',
  reason: 'sequence_gap',
  start_utc: '2026-03-01T10:00:00.000Z',
  end_utc: null,
} as unknown as Parameters<typeof gapRow>[1];

function inCsv(channels: readonly string[], ...rows: readonly Parameters<typeof memberAt>[0][]): string[] {
  const columns = rowColumns('csv', channels);
  return [columns, ...rows.map((row) => columns.map((column) => memberAt(row, column)))].map(csvLine);
}

test('CSV has a column for each value of a channel', () => {
  expect(inCsv(['trades'], rowOf('A-PERP', TRADE, 'csv'))).toEqual([
    'symbol,exchange_time_utc,received_time_utc,channel,aggressor_side,price,size,venue_id,flags,gap_id,gap_reason,gap_end_utc',
    'A-PERP,2026-03-01T10:00:00.000Z,2026-03-01T10:00:00.050Z,trades,buy,60000.5,0.2,77,,,,',
  ]);
});

test('CSV of several channels has the columns of each, and gaps have their own', () => {
  const [head, book, trade, gap] = inCsv(
    ['trades', 'book'],
    rowOf('A-PERP', BOOK, 'csv'),
    rowOf('A-PERP', TRADE, 'csv'),
    gapRow('A-PERP', GAP, 'csv'),
  );
  expect(head).toBe(
    'symbol,exchange_time_utc,received_time_utc,channel,best_bid_price,best_bid_size,best_ask_price,best_ask_size,' +
      'aggressor_side,price,size,venue_id,flags,gap_id,gap_reason,gap_end_utc',
  );
  expect(book).toBe('A-PERP,2026-03-01T10:00:00.000Z,2026-03-01T10:00:00.050Z,book,60000,1.5,,,,,,,,,,');
  expect(trade).toBe('A-PERP,2026-03-01T10:00:00.000Z,2026-03-01T10:00:00.050Z,trades,,,,,buy,60000.5,0.2,77,,,,');
  expect(gap).toBe('A-PERP,2026-03-01T10:00:00.000Z,,trades,,,,,,,,,,gap_1,sequence_gap,');
});

test('a table has a summary in place of columns', () => {
  const lines = [rowOf('A-PERP', BOOK, 'table'), rowOf('A-PERP', TRADE, 'table'), gapRow('A-PERP', GAP, 'table')];
  expect(rowColumns('table')).toContain('summary');
  expect(lines.map((row) => cellText(memberAt(row, 'summary')))).toEqual([
    '1.5 @ 60000 bid, nothing ask',
    'buy 0.2 @ 60000.5',
    'GAP gap_1: sequence_gap, still open',
  ]);
});
