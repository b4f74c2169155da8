import fc from 'fast-check';
import { anyEvent } from '../../tests/arbitrary-events';
import {
  type ArchiveCell,
  archiveLayoutOf,
  archiveRow,
  channelOf,
  type DataChannel,
  encodeEvent,
  eventOfColumns,
  EventRowError,
  type MarketEvent,
  ROW_FLAG,
  rowLine,
  storedVenueId,
} from '..';

const dataEvent = anyEvent.filter((event) => channelOf(event) !== 'control');

function fileRow(event: MarketEvent, flags = 0): ArchiveCell[] | undefined {
  const { symbol, ordinal, epoch, pass, exchangeTsMs, receivedTsMs } = event;
  const stored = { ordinal, epoch, pass, exchangeTsMs, receivedTsMs, flags };
  return archiveRow(symbol, channelOf(event), { ...stored, venueId: storedVenueId(event, flags), payload: encodeEvent(event) }, event);
}

/** In the form of a Parquet reader, with the symbol added by an export. */
function cellsOf(event: MarketEvent): Record<string, unknown> {
  const row = fileRow(event) ?? [];
  const { columns } = archiveLayoutOf(channelOf(event));
  const named = columns.map(({ name, type }, index) => {
    const value = row[index] ?? null;
    return [name, type === 'int64' && typeof value === 'number' ? BigInt(value) : value];
  });
  return { symbol: event.symbol, ...Object.fromEntries(named) };
}

/** In the form of a CSV reader: text, with one column per level value. */
function textCellsOf(event: MarketEvent): Record<string, unknown> {
  const flat = Object.entries(cellsOf(event)).flatMap(([name, value]) =>
    Array.isArray(value) ? value.flatMap((level, index) => levelCells(name.slice(0, -1), index + 1, level)) : [[name, value] as const],
  );
  return Object.fromEntries(flat.map(([name, value]) => [name, value === null ? null : String(value)]));
}

function levelCells(side: string, number: number, level: Record<string, string | null>): [string, unknown][] {
  return ['price', 'size', 'venue_size'].map((field) => [`${side}_${field}_${number}`, level[field]]);
}

function back(event: MarketEvent, cells: Record<string, unknown>): MarketEvent | undefined {
  return eventOfColumns(channelOf(event) as DataChannel, cells);
}

test('the columns of a row of a file give back the line of its event, byte for byte', () => {
  fc.assert(
    fc.property(dataEvent, (event) => {
      for (const cells of [cellsOf(event), textCellsOf(event)]) {
        const found = back(event, cells);
        expect(found).toEqual(event);
        expect(found && rowLine(found)).toBe(rowLine(event));
      }
    }),
  );
});

test('one changed column gives another line, or none', () => {
  fc.assert(
    fc.property(dataEvent, fc.constantFrom('ordinal', 'exchange_ts_ms', 'venue_id', 'venue'), (event, column) => {
      const cells = textCellsOf(event);
      const changed = { ...cells, [column]: `${String(cells[column] ?? '')}1` };
      let line: string | undefined;
      try {
        const found = back(event, changed);
        line = found && rowLine(found);
      } catch (error) {
        expect(error).toBeInstanceOf(EventRowError);
      }
      expect(line).not.toBe(rowLine(event));
    }),
  );
});

function without(cells: Record<string, unknown>, ...names: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(cells).filter(([name]) => !names.includes(name)));
}

const trade: MarketEvent = {
  kind: 'trade',
  venue: 'hyperliquid',
  symbol: 'BTCUSD-PERP',
  pass: 0,
  venueId: '7',
  exchangeTsMs: 1_000,
  exchangeTsIsReceiveTime: false,
  receivedTsMs: 1_100,
  ordinal: 3,
  epoch: 1,
  price: '100.5',
  size: '2',
  aggressorSide: 'sell',
};

test('a row of a file from before the column gives no event', () => {
  const before = without(cellsOf(trade), 'exchange_ts_is_receive_time');
  expect(back(trade, before)).toBeUndefined();
  expect(back(trade, { ...before, exchange_ts_is_receive_time: null })).toBeUndefined();
});

test('a file without the columns that the check needs is refused, each named', () => {
  expect(() => back(trade, without(cellsOf(trade), 'ordinal', 'epoch'))).toThrow(/ordinal .*epoch /);
});

test('a repeat is stored without its id, and a row that contradicts its event is no row of a file', () => {
  const idAt = archiveLayoutOf('trade').columns.findIndex(({ name }) => name === 'venue_id');
  expect(fileRow(trade)?.[idAt]).toBe('7');
  expect(fileRow(trade, ROW_FLAG.duplicate)?.[idAt]).toBeNull();
  const stored = {
    ordinal: 3,
    epoch: 1,
    pass: 0,
    venueId: '7',
    exchangeTsMs: 1_000,
    receivedTsMs: 1_100,
    flags: 0,
    payload: new Uint8Array(),
  };
  expect(archiveRow('BTCUSD-PERP', 'trade', stored, trade)).toBeDefined();
  for (const other of [{ ordinal: 4 }, { epoch: 2 }, { pass: 1 }, { venueId: null }, { exchangeTsMs: 1_001 }, { receivedTsMs: 1_101 }])
    expect(archiveRow('BTCUSD-PERP', 'trade', { ...stored, ...other }, trade)).toBeUndefined();
  expect(archiveRow('ETHUSD-PERP', 'trade', stored, trade)).toBeUndefined();
  expect(archiveRow('BTCUSD-PERP', 'book', stored, trade)).toBeUndefined();
});
