import { dailyBytes, daysLeft, diskFactor, growthsOf } from './storage';

const written = { payloadBytes: 600, recordedMs: 7_200_000, archivedBytes: 100, archivedPayloadBytes: 300 } as const;

test('a day is what was written in the time recorded, hot rows with what they take on disk, files as they are packed', () => {
  expect(dailyBytes(written, diskFactor({ channel: 'book', diskBytes: 3_000, payloadBytes: 1_500 }))).toEqual({
    hot: 14_400,
    archived: 2_400,
  });
  expect(dailyBytes({ ...written, recordedMs: 59_999 }, 1)).toEqual({ hot: 0, archived: 0 });
  expect(dailyBytes({ ...written, archivedBytes: 0, archivedPayloadBytes: 0 }, 1)).toEqual({ hot: 7_200, archived: 0 });
  expect(diskFactor({ channel: 'book', diskBytes: 0, payloadBytes: 0 })).toBe(1);
});

// 100 bytes a day hot for 3 days plus the current one, 25 archived for 30: growth ends at 400 and 750.
const growths = growthsOf({ hot: 100, archived: 25 }, { hot: 100, archived: 50 }, { hotDays: 3, archiveDays: 30 });

test('rows and files grow until as much is removed as is written', () => {
  expect(growths).toEqual([
    { bytesADay: 100, availableBytes: 300 },
    { bytesADay: 25, availableBytes: 700 },
  ]);
  expect(
    growthsOf({ hot: 10, archived: 1 }, { hot: 50, archived: 40 }, { hotDays: 3, archiveDays: 30 }).map(
      ({ availableBytes }) => availableBytes,
    ),
  ).toEqual([0, 0]);
});

// After 28 days, 3 × 125 + 25 × 25 = 1,000 bytes were added.
test.each([
  [250, 2],
  [375 + 125, 8],
  [999, 3 + 624 / 25],
  [0, 0],
])('%i bytes last for %d days of growth that levels off', (freeBytes, days) => {
  expect(daysLeft(growths, freeBytes)).toBeCloseTo(days, 9);
});

test('a disk that holds all that retention keeps is never full, and one that cannot be asked is not spoken of', () => {
  expect(daysLeft(growths, 1_000)).toBeUndefined();
  expect(daysLeft([{ bytesADay: 100, availableBytes: 0 }], 1)).toBeUndefined();
  expect(daysLeft([], 1)).toBeUndefined();
  expect(daysLeft(growths, undefined)).toBeUndefined();
});
