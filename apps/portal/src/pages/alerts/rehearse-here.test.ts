import { type HistoryRow, isSameOutcome, outcomeHere, rehearseHere, calmerSettings, firingsOf } from './rehearse-here';
import { usualRule } from './rule';

const severityRule = usualRule('severity_at_least');
const notices = (...reported: readonly (readonly [string, number])[]) =>
  reported.map(([phase, atMs]) => ({ phase, atMs, eventId: `evt_${atMs}` }));
const END_MS = 2_000_000;

test('a firing lasts from its trigger to its recovery, the last one to the end; one soon after another is a flap', () => {
  const reported = notices(
    ['triggered', 0],
    ['recovered', 10_000],
    ['triggered', 610_000],
    ['recovered', 620_000],
    ['triggered', 1_220_001],
  );
  expect(firingsOf(reported, severityRule, END_MS)).toEqual([
    { fromMs: 0, toMs: 10_000, isFlap: false },
    { fromMs: 610_000, toMs: 620_000, isFlap: true },
    { fromMs: 1_220_001, toMs: END_MS, isFlap: false },
  ]);
});

test('a rule that is true for one packet fires for an instant', () => {
  expect(firingsOf(notices(['triggered', 0], ['triggered', 20_000]), usualRule('state_changed'), END_MS)).toEqual([
    { fromMs: 0, toMs: 0, isFlap: false },
    { fromMs: 20_000, toMs: 20_000, isFlap: true },
  ]);
});

test('no messages draw nothing', () => {
  expect(firingsOf([], severityRule, END_MS)).toEqual([]);
});

const setting = (minConsecutive: number, triggered: number, flaps: number) => ({ minConsecutive, triggered, flaps });

test('what is calmer waits longer and flaps less than each setting before it, and still fires', () => {
  const settings = [setting(1, 35, 34), setting(2, 20, 19), setting(3, 6, 1), setting(6, 5, 1)];
  expect(calmerSettings({ settings, flaps: 34 }, 1)).toEqual([setting(2, 20, 19), setting(3, 6, 1)]);
  expect(calmerSettings({ settings, flaps: 1 }, 3)).toEqual([]);
  expect(calmerSettings({ settings: [setting(1, 4, 3), setting(2, 0, 0)], flaps: 3 }, 1)).toEqual([]);
  expect(calmerSettings({ settings: [setting(1, 1, 0), setting(2, 1, 0)], flaps: 0 }, 1)).toEqual([]);
});

test('a setting between those that are rehearsed is compared with longer ones alone', () => {
  const settings = [setting(6, 2, 0), setting(1, 9, 8), setting(4, 5, 3), setting(2, 7, 1), setting(3, 6, 4)];
  expect(calmerSettings({ settings, flaps: 3 }, 4)).toEqual([setting(6, 2, 0)]);
});

const START_MS = Date.parse('2026-11-25T12:00:00.000Z');

function row(window: number, severity: number): HistoryRow {
  return {
    symbol: 'BTCUSD-PERP',
    sequence: window + 1,
    window_end_utc: new Date(START_MS + window * 10_000).toISOString(),
    event_id: `evt_${window}`,
    state: 'depth_watch',
    event_class: 'balanced_two_sided_context',
    event_profile: 'routine_context',
    severity_class: 'routine_context',
    severity_score: severity,
    tags: [],
    source_kind: 'recorded',
  } as unknown as HistoryRow;
}

const rule = { ...usualRule('severity_at_least'), params: { score: 0.5 } };
const rows = [0.1, 0.9, 0.1, 0.9, 0.9, 0.1, 0.1].map((severity, window) => row(window, severity));
const endMs = START_MS + rows.length * 10_000;

test('a rule over rows of history fires, recovers and flaps as the reducer says, and what min_consecutive misses is counted', () => {
  const twice = { ...rule, minConsecutive: 2 };
  const [first, second] = rehearseHere([rule, twice], { before: [], rows }, endMs);
  if (first === undefined || second === undefined) throw new Error('two rules have two results');
  expect(outcomeHere(first, rule)).toMatchObject({ triggered: 2, recovered: 2, flaps: 1, missed: null });
  expect(outcomeHere(second, twice)).toMatchObject({ triggered: 1, recovered: 1, flaps: 0, missed: 1 });
  expect(outcomeHere(first, rule).notices[0]).toEqual({ phase: 'triggered', atMs: START_MS + 10_000, eventId: 'evt_1' });
});

test('a change is measured from before the span, where rows of it were loaded', () => {
  const change = { ...usualRule('score_change'), params: { score: 'severity_score', by: 0.5, packets: 1, direction: 'either' } };
  const triggered = (before: readonly HistoryRow[]) => rehearseHere([change], { before, rows: rows.slice(2, 4) }, endMs)[0]?.triggered;
  expect(triggered([])).toBe(0);
  expect(rehearseHere([change], { before: rows.slice(0, 2), rows: rows.slice(2, 4) }, endMs)[0]?.state).toBe('firing');
});

test('two outcomes are equal only if all messages are', () => {
  const [only] = rehearseHere([rule], { before: [], rows }, endMs);
  if (only === undefined) throw new Error('a rule has a result');
  const outcome = outcomeHere(only, rule);
  expect(isSameOutcome(outcome, { ...outcome })).toBe(true);
  expect(isSameOutcome(outcome, { ...outcome, notices: outcome.notices.slice(1) })).toBe(false);
});
