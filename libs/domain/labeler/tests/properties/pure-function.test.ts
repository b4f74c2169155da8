import fc from 'fast-check';
import type { MarketEvent } from '@market-state/market-data';
import { chainOf, labelLog } from '../label-log';
import { isData, renumberFrom, shuffleWithin } from './arrival';
import { marketCase, openCase, RUNS } from './cases';

const firstOrdinal = (events: readonly MarketEvent[]): number => events[0]?.ordinal ?? 1;

test('repeated events change no packet', () => {
  fc.assert(
    fc.property(marketCase, fc.infiniteStream(fc.nat({ max: 13 })), (market, lags) => {
      const { state, events } = openCase(market);
      const repeated: MarketEvent[] = [];
      for (const event of events) {
        repeated.push(event);
        const lag = lags.next().value ?? 0;
        const old = repeated[repeated.length - 1 - lag];
        if (lag < 7 && old !== undefined && isData(old)) repeated.push(old);
      }
      const digests = (log: readonly MarketEvent[]) =>
        labelLog(log, state()).map((result) => `${result.packetDigest} ${result.inputDigest}`);
      expect(digests(renumberFrom(repeated, firstOrdinal(events)))).toEqual(digests(events));
    }),
    RUNS,
  );
});

test('another arrival order inside a window changes nothing', () => {
  fc.assert(
    fc.property(marketCase, fc.nat(), (market, seed) => {
      const { state, events } = openCase(market);
      const shuffled = renumberFrom(shuffleWithin(events, seed), firstOrdinal(events));
      expect(chainOf(labelLog(shuffled, state()))).toEqual(chainOf(labelLog(events, state())));
    }),
    RUNS,
  );
});

test('later entries never change an earlier packet', () => {
  fc.assert(
    fc.property(marketCase, fc.double({ min: 0, max: 1, noNaN: true }), (market, share) => {
      const { state, events } = openCase(market);
      const prefix = chainOf(labelLog(events.slice(0, Math.floor(events.length * share)), state()));
      expect(chainOf(labelLog(events, state())).slice(0, prefix.length)).toEqual(prefix);
    }),
    RUNS,
  );
});
