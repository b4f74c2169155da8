import Ajv2020 from 'ajv/dist/2020';
import fc from 'fast-check';
import { canonicalBytes, encodeEvent, eventOfRow, EventRowError, rowLine, type MarketEvent } from '../src/index';
import { rowOf } from '../src/row/event-row';
import schema from '../schemas/market-state-row.v1.schema.json';
import { anyEvent } from './arbitrary-events';

const isRow = new Ajv2020({ allErrors: true }).compile(schema);
const runs = { numRuns: 1_000 };

const trade: MarketEvent = {
  kind: 'trade',
  venue: 'binance-coinm',
  symbol: 'BTCUSD-PERP',
  pass: 1,
  venueId: '849714402',
  exchangeTsMs: 1_723_161_257_679,
  exchangeTsIsReceiveTime: false,
  receivedTsMs: 1_723_161_256_419,
  ordinal: 9,
  epoch: 1,
  price: '61804.8',
  size: '0.006472798242',
  venueSize: '4',
  aggressorSide: 'buy',
};

function faultsOf(json: unknown): readonly string[] {
  try {
    eventOfRow(json);
  } catch (error) {
    if (error instanceof EventRowError) return error.faults;
    throw error;
  }
  return [];
}

describe('a row of the event log', () => {
  it('gives back the event it was made from, with the same bytes', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        const back = eventOfRow(JSON.parse(rowLine(event)));
        expect(back).toEqual(event);
        expect(canonicalBytes(back)).toEqual(canonicalBytes(event));
        expect(encodeEvent(back)).toEqual(encodeEvent(event));
      }),
      runs,
    );
  });

  it('marks a book whose best prices are equal; older rows without the mark read alike', () => {
    const { venue, symbol, pass, venueId, exchangeTsMs, exchangeTsIsReceiveTime, receivedTsMs, ordinal, epoch } = trade;
    const bookOf = (bid: string, ask: string): MarketEvent => ({
      ...{ venue, symbol, pass, venueId, exchangeTsMs, exchangeTsIsReceiveTime, receivedTsMs, ordinal, epoch },
      kind: 'book',
      bids: [{ price: bid, size: '1' }],
      asks: [{ price: ask, size: '2' }],
    });
    const { locked_book: mark, ...unmarked } = { locked_book: undefined, ...rowOf(bookOf('100', '100')) };
    expect(mark).toBe(true);
    expect(isRow({ ...unmarked, locked_book: true })).toBe(true);
    expect(eventOfRow(unmarked)).toEqual(bookOf('100', '100'));
    expect(rowOf(bookOf('100', '100.1'))).not.toHaveProperty('locked_book');
    const refused = ['locked_book must be true if the best prices are equal, else missing'];
    expect(faultsOf({ ...rowOf(bookOf('100', '100.1')), locked_book: true })).toEqual(refused);
    expect(faultsOf({ ...unmarked, locked_book: false })).toEqual(refused);
  });

  it('is one line, and what the schema file describes', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        expect(rowLine(event)).not.toMatch(/[\n\r]/);
        expect(isRow(rowOf(event))).toBe(true);
      }),
      runs,
    );
  });

  it('is refused exactly where the schema file refuses it', () => {
    const junk = fc.oneof(
      fc.constantFrom<unknown>(
        null,
        '',
        '0',
        '-1',
        '1.0',
        '1.50',
        '-0',
        '-0.0',
        '0.0',
        '01',
        '1e3',
        '.5',
        'NaN',
        -1,
        0,
        1.5,
        2 ** 53,
        true,
        [],
        {},
        'buy',
        'book',
      ),
      fc.jsonValue({ maxDepth: 1 }),
    );
    fc.assert(
      fc.property(anyEvent, fc.nat(), fc.constantFrom('set', 'add', 'drop'), junk, (event, at, change, value) => {
        const row = JSON.parse(rowLine(event)) as Record<string, unknown>;
        const inner = row['status'];
        const target = at % 3 === 0 && typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : row;
        const keys = Object.keys(target);
        const key = keys[at % keys.length] ?? '';
        if (change === 'drop') delete target[key];
        else target[change === 'add' ? 'unknown' : key] = value;
        expect(faultsOf(row).length === 0).toBe(isRow(row));
      }),
      runs,
    );
  });

  it('has the symbol and the venue of its market', () => {
    expect(rowOf({ ...trade, symbol: 'BTCUSD-PERP@binance-coinm' })).toEqual(rowOf(trade));
  });

  it('has its fields in the order of the schema', () => {
    expect(rowLine(trade)).toBe(
      '{"schema":"market_state_row.v1","kind":"trade","venue":"binance-coinm","symbol":"BTCUSD-PERP","pass":1,"venue_id":"849714402",' +
        '"exchange_ts_ms":1723161257679,"exchange_ts_is_receive_time":false,"received_ts_ms":1723161256419,"ordinal":9,"epoch":1,' +
        '"price":"61804.8","size":"0.006472798242","venue_size":"4","aggressor_side":"buy"}',
    );
  });

  it('that is faulty has all its faults named at once', () => {
    expect(faultsOf({ ...rowOf(trade), venue: undefined, price: '0', size: 5, ordinal: 0, side: 'buy' })).toEqual([
      'venue is missing',
      'ordinal must be an integer of at least 1',
      'price must be a positive decimal string in plain notation',
      'size must be a positive decimal string in plain notation',
      'side is not a known field',
    ]);
  });

  it('that is a faulty book names each faulty level', () => {
    const row = rowOf({ ...trade, kind: 'book', bids: [], asks: [] });
    expect(
      faultsOf({
        ...row,
        bids: [
          ['1', '2'],
          ['1.0', '0', '0'],
        ],
        asks: [7],
      }),
    ).toEqual([
      'bids[1] price must be a positive decimal string in plain notation',
      'bids[1] size must be a positive decimal string in plain notation',
      'bids[1] venue_size must be a positive decimal string',
      'asks[0] must be [price, size] or [price, size, venue_size]',
    ]);
  });

  it('that is a faulty status names the faults inside', () => {
    const row = rowOf({ ...trade, kind: 'feed_status', status: { type: 'disconnected', reason: '' } });
    expect(faultsOf({ ...row, status: { type: 'gap', gap_id: '', channel: 'x', start_ms: 1, reason: 'bored' } })).toEqual([
      'status.gap_id must be a non-empty string',
      'status.channel must be null or one of book, trade, context, liquidation, control',
      'status.end_ms is missing',
      'status.reason must be one of sequence_gap, log_lost, feed_down, disconnected, overflow, not_listed, arrived_late',
    ]);
  });

  it.each([['text'], [null], [[]], [7]])('is an object, not %j', (json) => {
    expect(faultsOf(json)).toEqual(['the row must be an object']);
  });
});
