import { compareVenueIds } from '@market-state/market-data';
import fc from 'fast-check';
import { tradeKey, type TradePosition } from './totals';

const place = fc.record({
  exchangeTsMs: fc.constantFrom(0, 999, 1_000, 1_767_657_540_000),
  pass: fc.constantFrom(0, 9, 10),
  venueId: fc.oneof(
    fc.constantFrom('', '0', '00', '7', '07', '10', '9007199254740993', 'a', 'é', '\u{1f600}', '\uffff'),
    fc.stringMatching(/^[0-9]{1,30}$/),
    fc.string({ unit: 'grapheme', maxLength: 4 }),
  ),
});

function compare(a: TradePosition, b: TradePosition): number {
  return a.exchangeTsMs - b.exchangeTsMs || a.pass - b.pass || compareVenueIds(a.venueId, b.venueId);
}

test('keys compare by their bytes as trades do by time, pass and id', () => {
  fc.assert(
    fc.property(place, place, (a, b) => {
      expect(Math.sign(Buffer.compare(Buffer.from(tradeKey(a)), Buffer.from(tradeKey(b))))).toBe(Math.sign(compare(a, b)));
    }),
    { seed: 20_260_105, numRuns: 5_000 },
  );
});
