import { stripOf } from './state-runs';

const reading = (windowEndMs: number, state: string) => ({ windowEndMs, state, stateLabel: state });

test('a strip shows each state as wide as it lasted, and what no packet covers as missing', () => {
  const parts = stripOf([reading(20_000, 'depth_watch'), reading(30_000, 'depth_watch'), reading(60_000, 'flow_shift_watch')], 0, 100_000);
  expect(parts.map(({ word, at, width }) => [word, at, Number(width.toFixed(6))])).toEqual([
    ['missing', 0, 0.1],
    ['depth_watch', 0.1, 0.2],
    ['missing', 0.3, 0.2],
    ['flow_shift_watch', 0.5, 0.1],
    ['missing', 0.6, 0.4],
  ]);
});

test('what lies outside the span is cut off, and without packets all of it is missing', () => {
  const parts = stripOf([reading(10_000, 'depth_watch'), reading(20_000, 'depth_watch')], 15_000, 20_000);
  expect(parts.map(({ word, at, width }) => [word, at, width])).toEqual([['depth_watch', 0, 1]]);
  expect(stripOf([], 0, 1_000).map(({ word, width }) => [word, width])).toEqual([['missing', 1]]);
});
