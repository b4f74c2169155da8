import { dailyBytes, daysLeft, diskFactor } from './storage-forecast';

const written = { symbol: 'BTCUSD-PERP', channel: 'book', payloadBytes: 600, recordedMs: 7_200_000, archivedBytes: 100, archivedPayloadBytes: 300 } as const;
const keptFor = (hotFromMs: number, archiveFromMs: number) => ({ of: () => ({ hotFromMs, archiveFromMs }) });

test('a day is what was written in the time recorded, hot rows with what they take on disk, files as they are packed', () => {
  expect(dailyBytes(written, diskFactor({ channel: 'book', diskBytes: 3_000, payloadBytes: 1_500 }))).toEqual({ hot: 14_400, archived: 2_400 });
  expect(dailyBytes({ ...written, recordedMs: 59_999 }, 1)).toEqual({ hot: 0, archived: 0 });
  expect(dailyBytes({ ...written, archivedBytes: 0, archivedPayloadBytes: 0 }, 1)).toEqual({ hot: 7_200, archived: 0 });
  expect(diskFactor({ channel: 'book', diskBytes: 0, payloadBytes: 0 })).toBe(1);
});

test('what grows fills the disk in so many days; what is dropped as it comes does not', () => {
  const channels = [{ channel: 'book', bytes: { hot: 100, archived: 25 } }];
  expect(daysLeft(channels, keptFor(0, 0), 1_000)).toBe(8);
  expect(daysLeft(channels, keptFor(1, 0), 1_000)).toBe(40);
  expect(daysLeft(channels, keptFor(1, 1), 1_000)).toBeUndefined();
  expect(daysLeft(channels, keptFor(0, 0), undefined)).toBeUndefined();
  expect(daysLeft([], keptFor(0, 0), 1_000)).toBeUndefined();
});
