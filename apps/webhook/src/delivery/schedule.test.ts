import { waitAfter } from './schedule';

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
