import fc from 'fast-check';
import { channel, count, eventsOf } from '../tests/arbitrary-events';
import { canonicalBytes, decodeEvent, decodeEventHead, encodeEvent, EventDecodeError, type MarketEvent } from './index';

const time = fc.integer({ min: -1_000_000, max: Number.MAX_SAFE_INTEGER });
const text = fc.string({ unit: 'grapheme', maxLength: 150 });
/** Optional texts are absent or non-empty. */
const some = fc.string({ minLength: 1, maxLength: 20 });
/** Any encodable values, plausible or not. */
const event = eventsOf({
  time,
  ordinal: fc.maxSafeNat(),
  name: text,
  symbol: text,
  text,
  positive: text,
  unsigned: some,
  signed: some,
  optionalPositive: some,
  venueSize: some,
  channels: fc.array(channel),
  levelTotal: { minLength: 0, maxLength: 30 },
});

const tick: MarketEvent = {
  kind: 'tick',
  venue: 'binance-coinm',
  symbol: 'BTCUSD-PERP',
  pass: 1,
  venueId: '',
  exchangeTsMs: 1_723_161_256_250,
  exchangeTsIsReceiveTime: false,
  receivedTsMs: 1_723_161_256_250,
  ordinal: 7,
  epoch: 1,
  feedClockMs: 1_723_161_256_250,
};

describe('event codec', () => {
  it('gives back levels that were in earlier books, and more levels than it remembers', () => {
    const { feedClockMs, ...envelope } = tick;
    void feedClockMs;
    const book = (first: number): MarketEvent => ({
      ...envelope,
      kind: 'book',
      bids: Array.from({ length: 3_000 }, (_, index) => ({ price: `${(first + index) / 10}`, size: `${index % 7}` })),
      asks: Array.from({ length: 3_000 }, (_, index) => ({ price: `${(first - index) / 10}`, size: '1', venueSize: `${index % 3}` })),
    });
    for (const first of [60_000, 60_000, 60_001, 61_000, 60_000]) expect(decodeEvent(encodeEvent(book(first)))).toEqual(book(first));
    const known = encodeEvent(book(60_000));
    expect(() => decodeEvent(known.subarray(0, known.length - 3))).toThrow(EventDecodeError);
  });

  it('takes a level that was in the book before from there', () => {
    const { feedClockMs, ...envelope } = tick;
    void feedClockMs;
    const book = encodeEvent({ ...envelope, kind: 'book', bids: [{ price: '60000.1', size: '12' }], asks: [] });
    const [first, second] = [decodeEvent(book), decodeEvent(book)].map((event) => (event.kind === 'book' ? event.bids[0] : undefined));
    expect(first).toEqual({ price: '60000.1', size: '12' });
    expect(second).toBe(first);
  });

  it('gives back every event it encoded', () => {
    fc.assert(
      fc.property(event, (value) => {
        expect(decodeEvent(encodeEvent(value))).toEqual(value);
      }),
    );
  });

  it('gives the head of every event: of a book all but its levels, of others all', () => {
    fc.assert(
      fc.property(event, (value) => {
        const head: Record<string, unknown> = { ...value };
        if (value.kind === 'book') for (const side of ['bids', 'asks']) delete head[side];
        expect(decodeEventHead(encodeEvent(value))).toEqual(head);
      }),
    );
  });

  it('reads venues and symbols of one length, one after the other, each as it is', () => {
    for (const [venue, symbol] of [
      ['aa', 'éé'],
      ['ab', 'eeee'],
      ['aa', 'éé'],
      ['', ''],
      ['ab', 'eeéa'],
    ] as const) {
      const named = { ...tick, venue, symbol };
      expect(decodeEvent(encodeEvent(named))).toEqual(named);
    }
  });

  it('never throws anything but EventDecodeError on bytes that are not an event', () => {
    fc.assert(
      fc.property(event, fc.nat(), fc.nat({ max: 255 }), fc.boolean(), (value, at, byte, cut) => {
        const bytes = encodeEvent(value);
        const position = at % bytes.length;
        bytes[position] = byte;
        try {
          decodeEvent(cut ? bytes.subarray(0, position) : bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(EventDecodeError);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('encodes canonically without receive time, ordinal and epoch', () => {
    fc.assert(
      fc.property(event, time, fc.maxSafeNat(), count, (value, receivedTsMs, ordinal, epoch) => {
        expect(canonicalBytes({ ...value, receivedTsMs, ordinal, epoch })).toEqual(canonicalBytes(value));
        expect(canonicalBytes(value)).toEqual(encodeEvent({ ...value, receivedTsMs: 0, ordinal: 0, epoch: 0 }));
      }),
    );
  });

  it('writes fields in number order with defaults left out', () => {
    expect(
      Buffer.from(encodeEvent({ ...tick, venue: 'v', symbol: '', exchangeTsMs: 0, receivedTsMs: 0, feedClockMs: 300 })).toString('hex'),
    ).toBe(['0a0176', '1801', '4007', '4801', 'a20103', '08ac02'].join(''));
  });

  it('writes the body even when all its fields are defaults', () => {
    const empty: MarketEvent = {
      ...tick,
      venue: '',
      symbol: '',
      pass: 0,
      exchangeTsMs: 0,
      receivedTsMs: 0,
      ordinal: 0,
      epoch: 0,
      feedClockMs: 0,
    };
    expect(Buffer.from(encodeEvent(empty)).toString('hex')).toBe('a20100');
    expect(decodeEvent(encodeEvent(empty))).toEqual(empty);
  });

  it('passes over fields of a later version', () => {
    const later = Buffer.concat([
      encodeEvent(tick),
      Buffer.from('f2060474657374' + 'f80605' + 'fd0600000000' + 'f9060000000000000000', 'hex'),
    ]);
    expect(decodeEvent(later)).toEqual(tick);
  });

  it.each([
    ['no body', '0a0176'],
    ['a truncated string', '0a05'],
    ['an integer beyond 53 bits', '40ffffffffffffffffff01a20100'],
    ['an unspecified aggressor side', '8a0100'],
    ['a level that runs over its end', '820107' + '0a02' + '0a0331' + '32330a'],
    ['an unknown gap reason', 'aa01031a01'],
  ])('refuses %s', (_what, hex) => {
    expect(() => decodeEvent(Buffer.from(hex, 'hex'))).toThrow(EventDecodeError);
  });

  it('refuses to encode a time that is not a safe integer', () => {
    expect(() => encodeEvent({ ...tick, feedClockMs: 0.5 })).toThrow(RangeError);
  });
});
