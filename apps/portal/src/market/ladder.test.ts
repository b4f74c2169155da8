import { ladderSide, sizeWords, spreadBps } from './ladder';

test('depth adds up from the best level on, prices stay as they were sent', () => {
  expect(
    ladderSide(
      [
        ['100.10', '1.5'],
        ['100.00', '2'],
        ['99.90', '4'],
      ],
      2,
    ),
  ).toEqual([
    { price: '100.10', size: '1.5', cumulative: 1.5 },
    { price: '100.00', size: '2', cumulative: 3.5 },
  ]);
});

test('the spread is in basis points of the middle, and unknown without both sides', () => {
  expect(spreadBps([['99.5', '1']], [['100.5', '1']])).toBeCloseTo(100);
  expect(spreadBps([], [['100.5', '1']])).toBeNull();
});

test('sizes have four significant digits', () => {
  expect([0.21033, 1.2345, 21.0238, 130.92, 1_309.4].map(sizeWords)).toEqual(['0.2103', '1.234', '21.02', '130.9', '1,309']);
});
