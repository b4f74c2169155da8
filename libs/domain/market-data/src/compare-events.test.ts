import fc from 'fast-check';
import { compareEvents, gapIdOf, identityOf, instrumentOf, instrumentRows, UnknownSymbolError, type MarketEvent } from './index';
import { compareVenueIds } from './compare-events';

const envelope = {
  venue: 'binance-coinm',
  symbol: 'BTCUSD-PERP',
  pass: 1,
  venueId: '9',
  exchangeTsMs: 1_000,
  exchangeTsIsReceiveTime: false,
  receivedTsMs: 900,
  ordinal: 5,
  epoch: 1,
};
const trade: MarketEvent = { ...envelope, kind: 'trade', price: '1', size: '1', aggressorSide: 'buy' };
const book: MarketEvent = { ...envelope, kind: 'book', venueId: '20', bids: [], asks: [] };
const context: MarketEvent = { ...envelope, kind: 'context', venueId: '' };

describe('order of venue ids', () => {
  it.each([
    ['9', '10'],
    ['99999999999999999999', '100000000000000000000'],
    ['007', '8'],
    ['0x10', '0x9'],
    ['10', '1a'],
    ['0', ''],
    ['10', '\u0001'],
    ['z', 'é'],
    ['\uffff', '\u{10000}'],
  ])('%j comes before %j', (first, second) => {
    expect(compareVenueIds(first, second)).toBeLessThan(0);
    expect(compareVenueIds(second, first)).toBeGreaterThan(0);
    expect(compareVenueIds(first, first)).toBe(0);
  });

  it('is the same whichever pairs it is asked for: integers first, then texts', () => {
    const id = fc.oneof(fc.nat({ max: 30 }).map(String), fc.string({ maxLength: 3 }), fc.stringMatching(/^[0-9]{1,2}[a-c]?$/));
    fc.assert(
      fc.property(id, id, id, (a, b, c) => {
        expect(Math.sign(compareVenueIds(a, b))).toBe(0 - Math.sign(compareVenueIds(b, a)));
        if (compareVenueIds(a, b) <= 0 && compareVenueIds(b, c) <= 0) expect(compareVenueIds(a, c)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is that of integers for integers of any length', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 100n }), fc.bigInt({ min: 0n, max: 2n ** 100n }), (a, b) => {
        expect(Math.sign(compareVenueIds(String(a), String(b)))).toBe(a === b ? 0 : a < b ? -1 : 1);
      }),
    );
  });
});

describe('order of events', () => {
  it('is exchange time, then channel, then pass, then venue id', () => {
    const later = { ...book, exchangeTsMs: 1_001 };
    const second = { ...trade, venueId: '10' };
    const nextPass = { ...trade, pass: 2, venueId: '1' };
    const ordered = [book, trade, second, nextPass, context, later];
    expect([later, context, nextPass, second, trade, book].sort(compareEvents)).toEqual(ordered);
  });

  it('takes the digest of the canonical encoding for an id that is missing, whenever it was received', () => {
    expect(identityOf(context)).toMatch(/^[0-9a-f]{64}$/);
    expect(identityOf({ ...context, receivedTsMs: 1, ordinal: 1, epoch: 9 })).toBe(identityOf(context));
    expect(identityOf({ ...context, exchangeTsMs: 2 })).not.toBe(identityOf(context));
    expect(compareEvents(context, { ...context, ordinal: 99 })).toBe(0);
  });
});

describe('gap id', () => {
  const identity = {
    venue: 'binance-coinm',
    symbol: 'BTCUSD-PERP',
    pass: 1,
    reason: 'sequence_gap',
    channel: 'book',
    startMs: 1,
    lastVenueId: '2',
  } as const;

  it('is 26 Crockford base32 characters of the SHA-256 of the identity', () => {
    // First 130 bits of sha256('["binance-coinm","BTCUSD-PERP",1,"sequence_gap","book",1,"2"]'), computed
    // independently.
    expect(gapIdOf(identity)).toBe('gap_pxa0qf4g3afwsfer1m2nyvgdvk');
  });

  it('changes with every part of the identity', () => {
    const changes = [
      {},
      { venue: 'x' },
      { symbol: 'x' },
      { pass: 2 },
      { reason: 'log_lost' as const },
      { channel: undefined },
      { startMs: 2 },
      { lastVenueId: '3' },
    ];
    expect(new Set(changes.map((change) => gapIdOf({ ...identity, ...change }))).size).toBe(changes.length);
  });
});

describe('instrument table', () => {
  it('has, in each feed, one row for each symbol and venue instrument', () => {
    expect(new Set(instrumentRows.map((row) => `${row.feed} ${row.symbol}`)).size).toBe(instrumentRows.length);
    expect(new Set(instrumentRows.map((row) => `${row.feed} ${row.venue} ${row.venueInstrument}`)).size).toBe(instrumentRows.length);
    expect(instrumentOf('ETHUSD-PERP')).toMatchObject({ venueInstrument: 'ETHUSD_PERP', contractValue: '10', closingLagMs: 1_000 });
  });

  it('names the known symbols when one is unknown', () => {
    expect(() => instrumentOf('DOGEUSD-PERP')).toThrow(UnknownSymbolError);
    expect(() => instrumentOf('DOGEUSD-PERP')).toThrow('unknown symbol "DOGEUSD-PERP"; known: BTCUSD-PERP, ETHUSD-PERP');
  });
});
