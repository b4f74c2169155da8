import { advance } from './pace';

test('a cursor moves by the time that passed and the speed, and waits where nothing is read', () => {
  expect(advance(1_000, 100, 1, 9_000)).toBe(1_100);
  expect(advance(1_000, 100, 50, 9_000)).toBe(6_000);
  expect(advance(1_000, 100, 100, 9_000)).toBe(9_000);
  expect(advance(9_000, 100, 100, 9_000)).toBe(9_000);
});

test('a page that was hidden leaps by no more than a moment, and no clock moves a cursor back', () => {
  expect(advance(0, 60_000, 1, 900_000)).toBe(1_500);
  expect([advance(5_000, -40, 1, 9_000), advance(5_000, 100, 1, 4_000)]).toEqual([5_000, 5_000]);
});
