import { depth, imbalance } from './book-window';

describe('order-book imbalance', () => {
  test.each([
    // imb_1 = (3 − 1) / (3 + 1)
    [[3], [1], 1, 0.5],
    // B_3 = 1 + 2 + 3 = 6, A_3 = 2 + 2 + 2 = 6
    [[1, 2, 3, 9], [2, 2, 2, 9], 3, 0],
    // fewer levels than k: B_5 = 1, A_5 = 1 + 1 = 2; −1 / 3 to 6 decimals
    [[1], [1, 1], 5, -0.333333],
    [[0.5], [], 1, 1],
  ])('bids %j against asks %j over %d levels is %d', (bids, asks, levels, expected) => {
    expect(imbalance(bids, asks, levels)).toBe(expected);
  });

  test('no size at all has no imbalance', () => {
    expect(imbalance([0], [0], 1)).toBeNull();
  });

  test('depth sums the first levels, best first', () => {
    expect(depth([1, 2, 4, 8], 3)).toBe(7);
    expect(depth([1], 5)).toBe(1);
  });
});
