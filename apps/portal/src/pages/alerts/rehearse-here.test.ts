import { type HistoryRow, isSameOutcome, outcomeHere, rehearseHere } from './rehearse-here';
import { usualRule } from './rule';

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

test('two outcomes are the same only message for message', () => {
  const [only] = rehearseHere([rule], { before: [], rows }, endMs);
  if (only === undefined) throw new Error('a rule has a result');
  const outcome = outcomeHere(only, rule);
  expect(isSameOutcome(outcome, { ...outcome })).toBe(true);
  expect(isSameOutcome(outcome, { ...outcome, notices: outcome.notices.slice(1) })).toBe(false);
});
