import { createState, loadPolicy, reduce } from '@market-state/labeler';
import type { MarketEvent } from '@market-state/market-data';
import { playSegments } from '../src/log/scenario-log';
import { scenarios, placeSegments } from '../src/scenario/scenarios';

const policy = loadPolicy();

function digestsOf(events: readonly MarketEvent[]): string[] {
  const state = createState('SIMUSD-PERP', policy);
  return events.flatMap((event) => reduce(state, event).map(({ lineageDigest }) => lineageDigest));
}

test('repeats change no packet', () => {
  const segments = placeSegments([{ scenario: 'duplicates', lengthMs: scenarios.duplicates.episodeMs }], 1_767_571_200_000);
  const events = [...playSegments({ segments, symbol: 'SIMUSD-PERP', seed: 3 })];
  const heard = new Set<string>();
  const once = events.filter(
    ({ kind, venueId }) => venueId === '' || (!heard.has(`${kind} ${venueId}`) && heard.add(`${kind} ${venueId}`)),
  );
  expect(events.length - once.length).toBeGreaterThan(300);
  expect(digestsOf(once)).toEqual(digestsOf(events));
});
