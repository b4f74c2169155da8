import { afterAttempt, type Breaker, positionOf, waitAfter } from './retry-policy';

const MINUTE_MS = 60_000;
const failure = { step: 0, status: 500, outcome: 'status_500', retryAfterMs: undefined, random: 0.5 };

test('nine waits follow the first attempt, each within 20 % of the plan', () => {
  const plannedS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
  for (const [step, seconds] of plannedS.entries()) {
    expect(waitAfter({ ...failure, step, random: 0 })).toBe(seconds * 800);
    expect(waitAfter({ ...failure, step })).toBe(seconds * 1_000);
    expect(waitAfter({ ...failure, step, random: 1 })).toBe(seconds * 1_200);
  }
  expect(waitAfter({ ...failure, step: plannedS.length })).toBeUndefined();
});

test.each([
  [0, 5 * MINUTE_MS],
  [7 * MINUTE_MS, 7 * MINUTE_MS],
  [60 * MINUTE_MS, 10 * MINUTE_MS],
])('Retry-After of %i ms is obeyed between the planned wait and twice that', (retryAfterMs, waitMs) => {
  expect(waitAfter({ ...failure, step: 1, retryAfterMs })).toBe(waitMs);
});

test.each([
  { status: 429, outcome: 'status_429' },
  { status: 502, outcome: 'status_502' },
  { status: 504, outcome: 'status_504' },
  { status: 0, outcome: 'timeout' },
])('$outcome waits a minute at least', (answer) => {
  expect(waitAfter({ ...failure, ...answer })).toBe(MINUTE_MS);
});

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
