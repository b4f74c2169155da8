import { clockSkew } from './clock-skew';

it.each([
  [1_000, 1_000, { venue_clock_ahead: false, clock_skew_ms: null }],
  [1_000, 1_040, { venue_clock_ahead: false, clock_skew_ms: null }],
  [1_001, 1_000, { venue_clock_ahead: true, clock_skew_ms: 1 }],
])('a row of %d that was received at %d', (exchangeTsMs, receivedTsMs, told) => {
  expect(clockSkew(exchangeTsMs, receivedTsMs)).toEqual(told);
});
