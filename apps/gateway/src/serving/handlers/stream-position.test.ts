import fc from 'fast-check';
import { formatPosition, hasRowsOf, laterOf, parsePosition, type StreamPosition } from './stream-position';

const position: fc.Arbitrary<StreamPosition> = fc.record({
  epoch: fc.integer({ min: 0, max: 1_000 }),
  ordinal: fc.integer({ min: 0, max: 1_000_000_000_000 }),
  windowEndMs: fc.integer({ min: 0, max: 200_000_000 }).map((window) => window * 10_000),
  gapsSent: fc.integer({ min: 0, max: 4_999 }),
  packetSent: fc.boolean(),
});

describe('a position in a stream', () => {
  it('is read back from its id', () => {
    fc.assert(
      fc.property(position, (one) => {
        expect(parsePosition(formatPosition(one))).toEqual(one);
      }),
    );
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
    expect(parsePosition(text)).toBeNull();
  });

  it('lies after another when rows or what follows a row say so, and the later of two has both', () => {
    fc.assert(
      fc.property(position, position, (one, other) => {
        const later = laterOf(one, other);
        expect(hasRowsOf(later, one) && hasRowsOf(later, other)).toBe(true);
        expect(later.windowEndMs).toBe(Math.max(one.windowEndMs, other.windowEndMs));
        expect(hasRowsOf(one, other) || hasRowsOf(other, one)).toBe(true);
      }),
    );
  });
});
