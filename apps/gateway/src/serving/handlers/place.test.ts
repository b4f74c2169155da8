import fc from 'fast-check';
import { formatPlace, hasRowsOf, laterOf, parsePlace, type Place } from './place';

const place: fc.Arbitrary<Place> = fc.record({
  epoch: fc.integer({ min: 0, max: 1_000 }),
  ordinal: fc.integer({ min: 0, max: 1_000_000_000_000 }),
  windowEndMs: fc.integer({ min: 0, max: 200_000_000 }).map((window) => window * 10_000),
  gapsTold: fc.integer({ min: 0, max: 4_999 }),
  packetTold: fc.boolean(),
});

describe('a place', () => {
  it('is read back from its id', () => {
    fc.assert(fc.property(place, (one) => expect(parsePlace(formatPlace(one))).toEqual(one)));
  });

  it.each([
    '',
    '1',
    '1-2',
    '1-2-3-4',
    '01-2-0',
    '1-02-0',
    '1-2-00',
    '-1-2-0',
    '1-2-0 ',
    '1-2-x',
    '1-99999999999999999-0',
    '1-9999999999999999-0',
  ])('is not read from %j', (text) => {
    expect(parsePlace(text)).toBeNull();
  });

  it('lies after another when rows or what follows a row say so, and the later of two has both', () => {
    fc.assert(
      fc.property(place, place, (one, other) => {
        const later = laterOf(one, other);
        expect(hasRowsOf(later, one) && hasRowsOf(later, other)).toBe(true);
        expect(later.windowEndMs).toBe(Math.max(one.windowEndMs, other.windowEndMs));
        expect(hasRowsOf(one, other) || hasRowsOf(other, one)).toBe(true);
      }),
    );
  });
});
