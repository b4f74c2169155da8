import fc from 'fast-check';
import {
  formatPosition,
  hasRowsOf,
  laterOf,
  parsePosition,
  type StreamPosition,
  createPositionVector,
  formatPositions,
  parsePositions,
} from './position';

const smallPosition: fc.Arbitrary<StreamPosition> = fc.record({
  epoch: fc.integer({ min: 0, max: 1_000 }),
  ordinal: fc.integer({ min: 0, max: 1_000_000_000_000 }),
  windowEndMs: fc.integer({ min: 0, max: 200_000_000 }).map((window) => window * 10_000),
  gapsSent: fc.integer({ min: 0, max: 4_999 }),
  packetSent: fc.boolean(),
});

describe('a position in a stream', () => {
  it('is read back from its id', () => {
    fc.assert(
      fc.property(smallPosition, (one) => {
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
      fc.property(smallPosition, smallPosition, (one, other) => {
        const later = laterOf(one, other);
        expect(hasRowsOf(later, one) && hasRowsOf(later, other)).toBe(true);
        expect(later.windowEndMs).toBe(Math.max(one.windowEndMs, other.windowEndMs));
        expect(hasRowsOf(one, other) || hasRowsOf(other, one)).toBe(true);
      }),
    );
  });
});

const position: fc.Arbitrary<StreamPosition> = fc.record({
  epoch: fc.integer({ min: 0, max: 1_000_000 }),
  ordinal: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  windowEndMs: fc.integer({ min: 0, max: 200_000_000 }).map((window) => window * 10_000),
  gapsSent: fc.integer({ min: 0, max: 4_999 }),
  packetSent: fc.boolean(),
});
const symbol = fc
  .tuple(fc.stringMatching(/^[A-Z0-9]{1,20}$/), fc.stringMatching(/^(@[a-z0-9][a-z0-9-]{0,39})?$/))
  .map(([base, venue]) => `${base}USD-PERP${venue}`);
const positions = fc.uniqueArray(fc.tuple(symbol, position), { minLength: 1, maxLength: 20, selector: ([name]) => name });

describe('an id of several symbols', () => {
  it('is read back as the positions it was written from', () => {
    fc.assert(
      fc.property(positions, (all) => {
        expect([...(parsePositions(formatPositions(all)) ?? [])]).toEqual(all);
      }),
    );
  });

  it('is never taken for the id of one symbol, nor that for one of several', () => {
    fc.assert(
      fc.property(positions, position, (all, one) => {
        expect(parsePosition(formatPositions(all))).toBeNull();
        expect(parsePositions(formatPosition(one))).toBeNull();
      }),
    );
  });

  it('holds what every symbol has come to, and never goes back in one when another goes on', () => {
    const steps = fc.array(fc.tuple(fc.nat({ max: 2 }), position), { maxLength: 40 });
    fc.assert(
      fc.property(fc.tuple(position, position, position), steps, (start, moves) => {
        const names = ['AUSD-PERP', 'BUSD-PERP', '1USD-PERP'];
        const reached = new Map(names.map((name, at) => [name, start[at] as StreamPosition]));
        const vector = createPositionVector(reached);
        let before = parsePositions(vector.id());
        for (const [at, step] of moves) {
          const name = names[at] as string;
          reached.set(name, laterOf(reached.get(name) as StreamPosition, step));
          const id = vector.move(name, reached.get(name) as StreamPosition);
          const now = parsePositions(id);
          expect([vector.id(), now]).toEqual([id, reached]);
          for (const each of names) expect(hasRowsOf(now?.get(each) as StreamPosition, before?.get(each) as StreamPosition)).toBe(true);
          before = now;
        }
      }),
    );
  });

  it('takes up at most half a kilobyte for twenty symbols', () => {
    const twenty = Array.from({ length: 20 }, (_, at): [string, StreamPosition] => [
      `COIN${at}USD-PERP`,
      { epoch: 3, ordinal: 99_999_999, windowEndMs: 1_795_626_680_000, gapsSent: 0, packetSent: false },
    ]);
    expect(formatPositions(twenty).length).toBeLessThanOrEqual(512);
  });

  it.each([
    '',
    '.',
    'BTC',
    'BTC-1-2',
    'BTC-1-2-3-4-5',
    'btc-1-2-3',
    'BTC-1-2-3.',
    'BTC-1-2-3.BTC-1-2-4',
    'BTC-01-2-3',
    'BTC-1-2-3-0',
    'BTC-1-2-3-00',
    'BTC-1-2-3-zz9',
    'BTC-1-2-3 ',
    'BTC-zzzzzzz-2-3',
    'BTC-1-zzzzzzzzzzz-3',
    'BTC-1-2-zzzzzzzzz',
    'BTCUSD-PERP-1-2-3',
    `${'A'.repeat(21)}-1-2-3`,
  ])('is not read from %j', (text) => {
    expect(parsePositions(text)).toBeNull();
  });

  it('is read from no text but those it is written as', () => {
    const near = fc.stringMatching(
      /^[A-Z1]{1,2}(@[a-z_]{1,2})?(-[0-9a-z]{1,3}){3,4}(\.[A-Z1]{1,2}(@[a-z]{1,2})?(-[0-9a-z]{1,3}){3,4}){0,2}$/,
    );
    fc.assert(
      fc.property(near, (text) => {
        const read = parsePositions(text);
        if (read !== null) expect(formatPositions(read)).toBe(text);
      }),
    );
  });
});
