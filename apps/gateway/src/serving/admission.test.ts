import { type LoadLevel, nextLevel, smoothLag } from './admission';

/** Level and lag after these samples, in milliseconds. */
function after(samples: readonly number[]): { level: LoadLevel; lagMs: number } {
  let [level, lagMs]: [LoadLevel, number] = [0, 0];
  for (const sample of samples) {
    lagMs = smoothLag(lagMs, sample);
    level = nextLevel(level, lagMs);
  }
  return { level, lagMs };
}

const times = (count: number, sample: number): number[] => new Array<number>(count).fill(sample);

test.each<[string, number[], LoadLevel]>([
  ['a quiet loop', times(20, 1), 0],
  ['one long turn', [500], 0],
  ['turns of 190 ms without an end', times(100, 190), 0],
  ['turns of 250 ms', times(8, 250), 1],
  ['turns of 500 ms', times(8, 500), 2],
  ['turns of 1 s', times(8, 1_000), 3],
  ['a minute without a turn', [60_000], 3],
])('%s', (_what, samples, level) => {
  expect(after(samples).level).toBe(level);
});

test('a level ends at half the lag at which it begins', () => {
  expect(nextLevel(1, 150)).toBe(1);
  expect(nextLevel(1, 100)).toBe(0);
  expect(nextLevel(3, 500)).toBe(3);
  expect(nextLevel(3, 250)).toBe(2);
  expect(nextLevel(3, 50)).toBe(0);
});

test('a second without lag ends every level', () => {
  expect(after([...times(50, 5_000), ...times(20, 0)]).level).toBe(0);
});
