import { FeedClock } from './symbol-market';

function clockAt(): { clock: FeedClock; pass: (ms: number) => void } {
  let wallMs = 1_000_000;
  return { clock: new FeedClock(() => wallMs), pass: (ms) => void (wallMs += ms) };
}

test('there is no clock before the first entry', () => {
  const { clock } = clockAt();
  expect(clock.nowMs()).toBeUndefined();
  expect(clock.ageMs(5)).toBe(0);
});

test('between entries the clock is that of the last one', () => {
  const { clock, pass } = clockAt();
  clock.heard(10_000);
  pass(1_000);
  expect(clock.nowMs()).toBe(10_000);
  expect(clock.ageMs(9_000)).toBe(1_000);
  expect(clock.ageMs(10_001)).toBe(0);
});

test('a feed that stopped does not keep things fresh', () => {
  const { clock, pass } = clockAt();
  clock.heard(10_000);
  pass(60_000);
  expect(clock.ageMs(10_000)).toBe(60_000);
});

test('an entry ends the silence, and an older one does not turn the clock back', () => {
  const { clock, pass } = clockAt();
  clock.heard(10_000);
  pass(5_000);
  clock.heard(10_250);
  expect(clock.nowMs()).toBe(10_250);
  clock.heard(9_000);
  expect(clock.nowMs()).toBe(10_250);
});
