import { createTrimIndex } from './log-keeper';

const at = (ordinal: number) => ({ epoch: 1, ordinal });
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
