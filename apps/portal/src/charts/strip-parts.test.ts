import { stripParts } from './strip-parts';

const reading = (seconds: number) => ({ windowEndMs: seconds * 1_000, state: 'depth_watch', stateLabel: 'Depth watch' });
const wordsOf = (...given: Parameters<typeof stripParts>) => stripParts(...given).map(({ word }) => word);

test('missing, unloaded, hidden and earlier spans have different labels', () => {
  const readings = [reading(30), reading(60)];
  expect(wordsOf(readings, 0, 60_000)).toEqual(['no-packet', 'depth_watch', 'missing', 'depth_watch']);
  expect(wordsOf(readings, 0, 60_000, [{ startMs: 0, endMs: 20_000 }])).toEqual(['unread', 'depth_watch', 'missing', 'depth_watch']);
  expect(wordsOf(readings, 0, 60_000, [{ startMs: 30_001, endMs: 50_000 }])).toEqual(['no-packet', 'depth_watch', 'unread', 'depth_watch']);
  expect(wordsOf(readings, 20_000, 60_000, [], [{ startMs: 20_000, endMs: 60_000 }])).toEqual(['depth_watch', 'omitted', 'depth_watch']);
  expect(wordsOf([], 0, 60_000, [{ startMs: 0, endMs: 60_000 }])).toEqual(['unread']);
});
