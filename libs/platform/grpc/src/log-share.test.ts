import { createLogShare } from './log-share';

test('of the same thing one line a second is let through, which says how many were not', () => {
  let nowMs = 0;
  const share = createLogShare({ everyMs: 1_000, keysMax: 2, nowMs: () => nowMs });
  expect([share.count('a'), share.count('a'), share.count('b'), share.count('a')]).toEqual([0, null, 0, null]);
  nowMs = 1_000;
  expect([share.count('a'), share.count('a'), share.count('b')]).toEqual([2, null, 0]);
});

test('more keys than may be known are forgotten', () => {
  const share = createLogShare({ everyMs: 1_000, keysMax: 2, nowMs: () => 0 });
  expect([share.count('a'), share.count('b'), share.count('c'), share.count('a')]).toEqual([0, 0, 0, 0]);
});
