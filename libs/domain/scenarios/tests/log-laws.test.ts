import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { encodeEvent, type MarketEvent } from '@market-state/market-data';
import { scenarioEvents, scenarioNames, scenarioSet, UnknownScenarioError, type ScenarioName } from '../src/index';
import { scenarioSegments, playSegments } from '../src/log/scenario-log';
import { scenarios, placeSegments } from '../src/scenario/scenarios';
import { checkCodec, checkLog } from './check-log';

const SYMBOL = 'SIMUSD-PERP';
const START_MS = 1_767_571_200_000;
const names = scenarioNames.map(({ name }) => name);

/** A minute of ordinary market and at most ten minutes of an episode: no fault lasts longer. */
function* episode(scenario: ScenarioName, seed: number): Generator<MarketEvent> {
  const plan = [
    { scenario: 'balanced', lengthMs: 60_000 } as const,
    { scenario, lengthMs: Math.min(scenarios[scenario].episodeMs, 600_000) },
  ];
  yield* playSegments({ segments: placeSegments(plan, START_MS), symbol: SYMBOL, seed });
}

function* first(events: Iterable<MarketEvent>, count: number): Generator<MarketEvent> {
  let left = count;
  for (const event of events) {
    if (left-- === 0) return;
    yield event;
  }
}

function digestOf(events: Iterable<MarketEvent>): string {
  const hash = createHash('sha256');
  for (const event of events) hash.update(encodeEvent(event));
  return hash.digest('hex');
}

describe.each(names)('%s', (scenario) => {
  let log: readonly MarketEvent[] = [];
  beforeAll(() => {
    log = [...episode(scenario, 11)];
  });

  test('keeps the laws of every log', () => {
    const { tickJumpsMs } = checkLog(log);
    expect(tickJumpsMs).toEqual(scenario === 'feed_down' ? [240_000] : []);
  });

  test('is what its encoding says', () => {
    let place = 0;
    for (const event of log) if (event.kind !== 'book' || place++ % 20 === 0) checkCodec(event);
    expect(place).toBeGreaterThan(0);
  });

  test('is the same log by the same seed, another by another', () => {
    expect(digestOf(first(episode(scenario, 11), 3_000))).toBe(digestOf(first(log, 3_000)));
    expect(digestOf(first(episode(scenario, 6), 300))).not.toBe(digestOf(first(log, 300)));
  });
});

test('any seed keeps the laws and gives its own log again', () => {
  const seeds = fc.integer({ min: 0, max: 0xffff_ffff });
  fc.assert(
    fc.property(seeds, fc.constantFrom(...names), (seed, scenario) => {
      checkLog(first(episode(scenario, seed), 1_000));
      expect(digestOf(first(episode(scenario, seed), 200))).toBe(digestOf(first(episode(scenario, seed), 200)));
    }),
    { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 30) },
  );
});

test('some events come out of order, and repeats carry the id of what they repeat', () => {
  expect(checkLog(episode('balanced', 1)).outOfOrder).toBeGreaterThan(100);
  const ids = [...episode('duplicates', 1)].filter((event) => event.kind === 'trade').map((event) => event.venueId);
  expect(ids.length - new Set(ids).size).toBeGreaterThan(100);
});

test('ids of a kind rise with exchange time', () => {
  for (const kind of ['book', 'trade'] as const) {
    const events = [...episode('late_events', 2)]
      .filter((event) => event.kind === kind)
      .sort((a, b) => Number(a.venueId) - Number(b.venueId));
    expect(events.every((event, place) => place === 0 || event.exchangeTsMs >= (events[place - 1]?.exchangeTsMs ?? 0))).toBe(true);
  }
});

test('a log is as long as was asked, and its last window closes', () => {
  const events = [...scenarioEvents({ scenario: 'calm', seed: 1, hours: 0.1, symbol: 'ABCUSD-PERP', startMs: START_MS })];
  expect(events.at(-1)).toMatchObject({ kind: 'tick', symbol: 'ABCUSD-PERP', feedClockMs: START_MS + 360_000 + 1_000 });
});

test('a log is made as it is read', () => {
  expect(scenarioEvents({ scenario: 'balanced', seed: 1, hours: 100_000 }).next().value).toMatchObject({ ordinal: 1 });
});

test('the first episode expects something, later ones nothing', () => {
  const segments = scenarioSegments({ scenario: 'thinning', seed: 1, hours: 4 });
  expect(segments.map(({ scenario, expects }) => [scenario, expects.length > 0])).toEqual([
    ['balanced', true],
    ['thinning', true],
    ['balanced', false],
    ['thinning', false],
    ['balanced', false],
    ['thinning', false],
    ['balanced', false],
  ]);
});

test('the set lasts eight hours and plays every scenario but the demonstration, which plays others', () => {
  const { segments } = scenarioSet({ seed: 1, startMs: START_MS });
  expect([segments[0]?.fromMs, segments.at(-1)?.toMs]).toEqual([START_MS, START_MS + 8 * 3_600_000]);
  expect(new Set(segments.map(({ scenario }) => scenario))).toEqual(new Set(names.filter((name) => name !== 'demo')));
  expect(segments.slice(1).every(({ fromMs }, place) => fromMs === segments[place]?.toMs)).toBe(true);
});

test.each([
  [{ seed: -1 }, 'seed must be a whole number 0..4294967295, not -1'],
  [{ seed: 1.5 }, 'seed must be a whole number 0..4294967295, not 1.5'],
  [{ seed: 1, startMs: 1_005 }, 'startMs must be a positive multiple of 10000, not 1005'],
  [{ seed: 1, hours: 0 }, 'hours must be over 0, not 0'],
])('%j is refused', (options, message) => {
  expect(() => scenarioEvents({ scenario: 'calm', ...options })).toThrow(new RangeError(message));
});

test('an unknown scenario is refused with the names of those known', () => {
  const unknown = JSON.parse('"flat"');
  expect(() => scenarioEvents({ scenario: unknown, seed: 1 })).toThrow(UnknownScenarioError);
  expect(() => scenarioEvents({ scenario: unknown, seed: 1 })).toThrow(/"flat".*calm, balanced, volatility_up/);
});
