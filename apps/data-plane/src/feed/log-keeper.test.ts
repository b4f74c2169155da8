import { LOG_START } from '@market-state/event-log';
import { entriesAhead, slowestPosition } from './log-keeper';

const at = (ordinal: number, epoch = 1) => ({ epoch, ordinal });

describe('consumers', () => {
  test('the slowest of those that published a position counts, expected or not, over epochs too', () => {
    expect(slowestPosition({ recorder: at(9), labeling: at(7), other: at(12, 2) }, ['recorder', 'labeling'])).toEqual(at(7));
    expect(slowestPosition({ stray: at(3) }, [])).toEqual(at(3));
  });

  test('an expected consumer without a position has committed nothing', () => {
    expect(slowestPosition({ recorder: at(9) }, ['recorder', 'labeling'])).toEqual(LOG_START);
  });

  test('there may be no consumer to wait for', () => {
    expect(slowestPosition({}, [])).toBeUndefined();
    expect(entriesAhead(1_000_000, 1, undefined)).toBe(0);
  });

  test('entries ahead are counted from the slowest position, of what the log still holds', () => {
    expect(entriesAhead(100, 1, at(40))).toBe(60);
    expect(entriesAhead(100, 1, LOG_START)).toBe(100);
    expect(entriesAhead(100, 61, LOG_START)).toBe(40);
    expect(entriesAhead(100, 61, at(10))).toBe(40);
  });
});
