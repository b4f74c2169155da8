import fc from 'fast-check';
import { eventOfRow, rowLine } from '@market-state/market-data';
import { restoreState, serializeState, type PacketResult } from '../../src/index';
import { reduce } from '../../src/reducer/reduce';
import { chainOf, labelLog, POLICY } from '../label-log';
import { marketCase, openCase, RUNS } from './cases';

const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 3 });

test('stopping anywhere and going on from the stored state changes nothing', () => {
  fc.assert(
    fc.property(marketCase, shares, (market, at) => {
      const opened = openCase(market);
      const stops = new Set(at.map((share) => Math.floor(share * opened.events.length)));
      let state = opened.state();
      const results: PacketResult[] = [];
      opened.events.forEach((event, index) => {
        if (stops.has(index)) {
          const bytes = serializeState(state);
          state = restoreState(bytes, POLICY);
          expect(Buffer.compare(serializeState(state), bytes)).toBe(0);
        }
        results.push(...reduce(state, event));
      });
      expect(chainOf(results)).toEqual(chainOf(labelLog(opened.events, opened.state())));
    }),
    RUNS,
  );
});

test('a span derived again from stored rows and the checkpoint before it gives the retained packets and the checkpoint after it', () => {
  fc.assert(
    fc.property(
      marketCase,
      fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
      (market, [one, other]) => {
        const { state, events } = openCase(market);
        const [from, to] = [Math.min(one, other), Math.max(one, other)].map((share) => Math.floor(share * events.length));
        const live = state();
        labelLog(events.slice(0, from), live);
        const before = serializeState(live);
        const retained = labelLog(events.slice(from, to), live);
        const after = serializeState(live);

        const rows = events.slice(from, to).map(rowLine);
        const again = restoreState(before, POLICY);
        const derived = rows.flatMap((row) => reduce(again, eventOfRow(JSON.parse(row))));
        expect(derived.map(({ body }) => body)).toEqual(retained.map(({ body }) => body));
        expect(chainOf(derived)).toEqual(chainOf(retained));
        expect(Buffer.compare(serializeState(again), after)).toBe(0);
      },
    ),
    RUNS,
  );
});

test('two labelers that take turns in any batches make the packets of one', () => {
  fc.assert(
    fc.property(marketCase, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 }), (market, batches) => {
      const { state, events } = openCase(market);
      const labelers = [state(), state()];
      const kept = new Map<number, string>();
      const read = [0, 0];
      for (let turn = 0; read.some((count) => count < events.length); turn++) {
        const who = turn % 2;
        const batch = batches[turn % batches.length] ?? 1;
        const from = read[who] ?? 0;
        for (const event of events.slice(from, from + batch)) {
          for (const { windowEndMs, lineageDigest } of reduce(labelers[who] ?? state(), event)) {
            expect(kept.get(windowEndMs) ?? lineageDigest).toBe(lineageDigest);
            kept.set(windowEndMs, lineageDigest);
          }
        }
        read[who] = from + batch;
      }
      expect([...kept]).toEqual(labelLog(events, state()).map(({ windowEndMs, lineageDigest }) => [windowEndMs, lineageDigest]));
    }),
    RUNS,
  );
});
