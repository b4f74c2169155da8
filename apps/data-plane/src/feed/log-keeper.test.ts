import { LOG_START } from '@market-state/event-log';
import { createTrimIndex, entriesAhead, slowestPosition } from './log-keeper';

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

const mark = (ordinal: number, feedClockMs: number) => ({ id: at(ordinal), feedClockMs, exchangeTsMs: feedClockMs + 1 });

function filled() {
  const index = createTrimIndex();
  for (const [ordinal, clockMs] of [
    [1, 1_000],
    [5, 1_999],
    [6, 2_000],
    [9, 4_500],
  ] as const)
    index.add(mark(ordinal, clockMs));
  return index;
}

describe('trim index', () => {
  test('keeps a mark a second of feed time', () => {
    expect(filled().at(1_999)).toEqual(mark(1, 1_000));
    expect(filled().at(2_000)).toEqual(mark(6, 2_000));
  });

  test('knows no mark before the first', () => {
    expect(filled().at(999)).toBeUndefined();
    expect(createTrimIndex().atEntry(at(1))).toBeUndefined();
  });

  test('an entry belongs to the newest mark at or before it, else to the oldest', () => {
    expect(filled().atEntry(at(8))).toEqual(mark(6, 2_000));
    expect(filled().atEntry(at(9))).toEqual(mark(9, 4_500));
    const index = filled();
    index.dropBefore(at(6));
    expect(index.atEntry(at(2))).toEqual(mark(6, 2_000));
    expect(index.at(1_500)).toBeUndefined();
  });
});
