import type { MarketEvent } from '@market-state/market-data';
import { Random } from '@market-state/scenarios';
import { StabilityTally, type Validity } from '../src/index';
import { sample, START_MS } from './samples';

const HOURS = 2;
const SEAM = { kind: 'feed_status', exchangeTsMs: START_MS, status: { type: 'seam' } } as unknown as MarketEvent;

/** A market whose volatility changes each 5 minutes, with a book and a trade each second. */
function market(scale: number): readonly MarketEvent[] {
  const random = new Random(5, 2);
  let [mid, move] = [1_000, 0.1];
  return Array.from({ length: HOURS * 3_600 }, (_, second): readonly MarketEvent[] => {
    if (second % 300 === 0) move = 0.05 + random.uniform() * 0.5;
    mid += move * random.normal();
    const level = (price: number) => ({ price: String(scale * price), size: String(1 + random.uniform()) });
    const exchangeTsMs = START_MS + second * 1_000;
    const trade = { kind: 'trade', exchangeTsMs, ...level(mid), aggressorSide: random.chance(0.5) ? 'buy' : 'sell' };
    return [
      { kind: 'book', exchangeTsMs, bids: [level(mid - 1)], asks: [level(mid + 1 + random.uniform())] } as unknown as MarketEvent,
      trade as unknown as MarketEvent,
    ];
  }).flat();
}

const STATES = ['market_state_watch', 'depth_watch', 'pressure_building', 'flow_shift_watch', 'fragile_depth_watch'] as const;

/** A packet per window; states and severities are independent of the market unless given. */
function validityOf(entries: readonly MarketEvent[], severityOf?: (window: number) => number): Validity {
  const random = new Random(6, 3);
  const tally = new StabilityTally();
  let window = 1;
  for (const entry of entries) {
    for (; START_MS + window * 10_000 <= entry.exchangeTsMs; window++) {
      const severity = severityOf?.(window) ?? random.uniform();
      const state = window === 500 ? 'crowding_shift' : (STATES[random.integer(0, STATES.length - 1)] ?? '');
      tally.addPacket(sample(window, { severity, severityClass: severity > 0.9 ? 'high_context' : 'routine_context', state }));
    }
    tally.addEntry(entry);
  }
  return tally.validity();
}

/** Realized volatility of (from, to] seconds. */
function volatility(entries: readonly MarketEvent[], fromSecond: number, toSecond: number): number {
  const mids = entries.flatMap((entry) =>
    entry.kind === 'book' ? [(Number(entry.bids[0]?.price) + Number(entry.asks[0]?.price)) / 2] : [],
  );
  let sum = 0;
  for (let second = fromSecond + 1; second <= toSecond; second++) sum += Math.log((mids[second] ?? NaN) / (mids[second - 1] ?? NaN)) ** 2;
  return Math.sqrt(sum);
}

const entries = market(1);
const validity = validityOf(entries);

test('labels that are independent of the market show nothing', () => {
  const { severity, states, firstHalfHour } = validity;
  expect(severity?.correlations.lastFiveMinutes?.low).toBeGreaterThan(0);
  // Four half hours give intervals that are too narrow, so only the values are compared.
  for (const none of [severity?.correlations.severity, severity?.partialGivenTrailing, validity.severityWithHar?.partialGivenHar])
    expect(Math.abs(none?.value ?? NaN)).toBeLessThan(0.1);
  for (const { givenLast, givenBlend, packets } of states)
    if (packets >= 30) for (const lift of [givenLast, givenBlend]) expect(Math.abs(lift?.value ?? NaN)).toBeLessThan(6);
  expect(states).toHaveLength(9);
  expect(firstHalfHour.packets).toBe(180);
  expect(firstHalfHour.highShare).toBeCloseTo(0.1, 1);
});

test('packets are compared where their spans are whole', () => {
  // 300 s before a packet and 60 s after it; a HAR forecast needs 1,800 s before.
  const windows = (HOURS * 3_600) / 10 - 1;
  expect(validity.severity?.packets).toBe(windows - 29 - 6);
  expect(validity.severityWithHar?.packets).toBe(windows - 179 - 6);
  expect(validity.severity?.correlations.har).toBeNull();
});

test('all prices doubled give the same figures', () => {
  expect(validityOf(market(2))).toEqual(validity);
});

test('severity that knows the next minute is found, and the last minute under the name of severity adds nothing', () => {
  const ahead = validityOf(entries, (window) => volatility(entries, window * 10, window * 10 + 60) || 0).severity;
  expect(ahead?.correlations.severity?.value).toBeCloseTo(1, 9);
  expect(ahead?.partialGivenTrailing?.low).toBeGreaterThan(0.99);
  expect(ahead?.alarmOfShare?.severity).toBeCloseTo(0.1 / 0.13, 1);
  const behind = validityOf(entries, (window) => volatility(entries, window * 10 - 60, window * 10) || 0).severity;
  expect(behind?.correlations.severity).toEqual(behind?.correlations.lastMinute);
  expect(behind?.partialGivenTrailing?.value).toBe(0);
  expect(behind?.alarmOfShare?.severity).toBe(behind?.alarmOfShare?.lastMinute);
});

test('a seam leaves out the packets whose spans lie over it', () => {
  const half = entries.length / 2;
  const cut = validityOf([...entries.slice(0, half), SEAM, ...entries.slice(half)]);
  expect((validity.severity?.packets ?? 0) - (cut.severity?.packets ?? 0)).toBe(36);
  expect((validity.severityWithHar?.packets ?? 0) - (cut.severityWithHar?.packets ?? 0)).toBe(186);
});

test('a state says why it has no lift', () => {
  const verdicts = (of: Validity) => Object.fromEntries(of.states.map(({ state, verdict }) => [state, verdict]));
  expect(verdicts(validity)['crowding_shift']).toBe('no_funding_or_open_interest');
  const context = { kind: 'context', exchangeTsMs: START_MS, openInterest: '1' } as unknown as MarketEvent;
  expect(verdicts(validityOf([context, ...entries]))['crowding_shift']).toBe('outcome_takes_hours');
  expect(verdicts(validity)['depth_watch']).toBe('fewer_than_10_half_hours');
  const short = verdicts(validityOf(entries.slice(0, 2 * 600)));
  expect(short).toMatchObject({ depth_watch: 'fewer_than_30_packets' });
  // Until 00:30, where the second half hour begins.
  expect(Object.values(verdicts(validityOf(entries.slice(0, 2 * 1_910))))).toContain('single_half_hour');
  const sells = entries.map((entry) => (entry.kind === 'trade' ? { ...entry, aggressorSide: 'sell' as const } : entry));
  expect(verdicts(validityOf(sells))['flow_shift_watch']).toBe('outcome_does_not_vary');
});

test('packets without their log have no figures but the first half hour', () => {
  const tally = new StabilityTally();
  for (let window = 1; window <= 60; window++) tally.addPacket(sample(window, { severityClass: 'critical_context' }));
  expect(tally.validity()).toMatchObject({
    severity: null,
    severityWithHar: null,
    states: [{ state: 'market_state_watch', packets: 0, givenLast: null, givenBlend: null, verdict: 'fewer_than_30_packets' }],
    firstHalfHour: { packets: 60, highShare: 1 },
  });
});
