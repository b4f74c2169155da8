import fc from 'fast-check';
import { bulletOf } from './bullet';

test('a score ends at its threshold exactly where it meets it, and nothing is drawn without a source', () => {
  expect(bulletOf({ score: 0.2, watch: 0.2, elevated: 0.5 })).toEqual({ score: 0.45, watch: 0.45, elevated: 0.75, level: 'watch' });
  expect(bulletOf({ score: 0.5, watch: 0.2, elevated: 0.5 })).toEqual({ score: 0.75, watch: 0.45, elevated: 0.75, level: 'elevated' });
  expect(bulletOf({ score: 0, watch: 0.2, elevated: 0.5 })).toMatchObject({ score: 0, level: 'below_watch' });
  expect(bulletOf({ score: 1, watch: 0.2, elevated: 0.5 })).toMatchObject({ score: 1, level: 'elevated' });
  expect(bulletOf({ score: null, watch: 0.2, elevated: 0.5 })).toMatchObject({ score: null, level: 'no_source' });
});

test('a higher score never has a shorter bar', () => {
  const share = fc.integer({ min: 0, max: 1_000_000 }).map((millionths) => millionths / 1_000_000);
  fc.assert(
    fc.property(share, share, share, share, (one, other, a, b) => {
      const [watch, elevated] = [Math.min(a, b), Math.max(a, b)];
      const [low, high] = [Math.min(one, other), Math.max(one, other)];
      const length = (score: number): number => bulletOf({ score, watch, elevated }).score ?? -1;
      expect(length(high)).toBeGreaterThanOrEqual(length(low));
    }),
  );
});
