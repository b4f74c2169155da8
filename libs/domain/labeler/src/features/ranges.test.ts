import { POLICY_NUMBERS } from '../policy/numbers';
import { activityOf, addNearDepth, addRange, depthWithin, rangeRatio, thinShare, type NearDepth } from './ranges';
import type { RangeMeans } from '../read';

function meansOf(ranges: readonly number[]): RangeMeans | null {
  return ranges.reduce<RangeMeans | null>((means, range) => addRange(means, range, POLICY_NUMBERS), null);
}

describe('means of price ranges', () => {
  test('the first range is every mean', () => {
    expect(meansOf([1.5])).toEqual({ total: 1, newest: 1.5, fast: 1.5, middle: 1.5, slow: 1.5, level: 1.5 });
  });

  test('until it is full a mean is that of all ranges; then it moves by the difference over its length', () => {
    // six ranges: the mean is 3.5; the seventh moves the fast mean by (9.5 − 3.5) / 6, the others by it over 7
    expect(meansOf([1, 2, 3, 4, 5, 6, 9.5])).toEqual({
      total: 7,
      newest: 9.5,
      fast: 4.5,
      middle: 4.357142857143,
      slow: 4.357142857143,
      level: 4.357142857143,
    });
  });

  test('after the first hour the level moves over two days', () => {
    const hour = meansOf(Array<number>(360).fill(1));
    expect(addRange(hour, 17_281, POLICY_NUMBERS)).toMatchObject({ fast: 2_881, level: 2 });
  });

  test('the ratio is that of the fast and middle means to the slow one', () => {
    expect(rangeRatio({ total: 9, newest: 0, fast: 3, middle: 2, slow: 2, level: 1 })).toBe(1.25);
    expect(rangeRatio({ total: 9, newest: 0, fast: 0, middle: 0, slow: 0, level: 0 })).toBeNull();
  });
});

test('activity compares the middle and slow means with the level; without one it is as usual', () => {
  expect(activityOf({ total: 9, newest: 9, fast: 9, middle: 3, slow: 2, level: 2 })).toBe(1.25);
  expect(activityOf({ total: 9, newest: 0, fast: 0, middle: 0, slow: 0, level: 0 })).toBe(1);
  expect(activityOf(null)).toBe(1);
});

describe('depth near mid', () => {
  const level = (price: string, size: string) => ({ price, size });

  test('counts levels within 3 bps of mid, the bound included', () => {
    const bids = [level('9999', '1'), level('9997', '2'), level('9996.9', '4')];
    const asks = [level('10001', '8'), level('10003.1', '16'), level('10002', '32')];
    expect(depthWithin({ bids, asks }, 10_000, 3)).toBe(11);
  });

  test('is compared with its own level; the share is null while that is 0', () => {
    const depths = (...values: readonly number[]) =>
      values.reduce<NearDepth | null>((before, depth) => addNearDepth(before, depth, POLICY_NUMBERS), null) ?? {
        total: 0,
        depth: 0,
        level: 0,
      };
    expect(depths(4, 2)).toEqual({ total: 2, depth: 2, level: 3 });
    expect(thinShare(depths(4, 2))).toBe(0.6);
    expect(thinShare(depths(0))).toBeNull();
  });
});
