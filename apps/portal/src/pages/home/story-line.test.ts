import { linePath } from './story-line';

const point = (atMs: number, value: number | null) => ({ atMs, value });

test('a line goes from point to point, lowest at the bottom', () => {
  expect(linePath([point(0, 1), point(10, 3), point(20, 2)], 0, 20, 10)).toBe('M0.00 100.00L50.00 0.00L100.00 50.00');
});

test('no line crosses a hole, whether a value is missing or a packet', () => {
  expect(linePath([point(0, 1), point(10, null), point(20, 2)], 0, 20, 10)).toBe('M0.00 100.00M100.00 0.00');
  expect(linePath([point(0, 1), point(20, 2)], 0, 20, 10)).toBe('M0.00 100.00M100.00 0.00');
});

test('a price that never moved is a level line', () => {
  expect(linePath([point(0, 5), point(10, 5)], 0, 10, 10)).toBe('M0.00 50.00L100.00 50.00');
});
