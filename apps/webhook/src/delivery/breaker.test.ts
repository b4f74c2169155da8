import { afterAttempt, type Breaker, positionOf } from './breaker';

const CLOSED: Breaker = { slices: [], untilMs: 0 };
const after = (breaker: Breaker, ok: readonly boolean[], nowMs: number) =>
  ok.reduce((current, isOk) => afterAttempt(current, { startedMs: nowMs, nowMs, isOk }), breaker);
const times = (total: number, isOk: boolean) => Array.from({ length: total }, () => isOk);

test('it opens at seven failures of ten, and not of nine attempts or at six', () => {
  expect(after(CLOSED, times(9, false), 1_000).untilMs).toBe(0);
  expect(after(CLOSED, [...times(4, true), ...times(6, false)], 1_000).untilMs).toBe(0);
  expect(after(CLOSED, [...times(3, true), ...times(7, false)], 1_000).untilMs).toBe(31_000);
});

test('attempts of more than five minutes ago do not count', () => {
  const old = after(CLOSED, times(9, false), 1_000);
  expect(after(old, [false], 400_000).untilMs).toBe(0);
});

test('one probe closes it or opens it again; attempts that began before change nothing', () => {
  const open = after(CLOSED, times(10, false), 1_000);
  expect([0, 30_999, 31_000].map((nowMs) => positionOf(open, nowMs))).toEqual(['open', 'open', 'probe']);
  expect(afterAttempt(open, { startedMs: 900, nowMs: 32_000, isOk: true })).toBe(open);
  expect(positionOf(afterAttempt(open, { startedMs: 31_500, nowMs: 32_000, isOk: true }), 32_000)).toBe('closed');
  expect(afterAttempt(open, { startedMs: 31_500, nowMs: 32_000, isOk: false }).untilMs).toBe(62_000);
});
