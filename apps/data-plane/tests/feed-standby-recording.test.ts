import { instrumentOf, nearestShift, recordingSpan } from '@market-state/market-data';
import { waitUntil } from '@market-state/testing';
import { type FeedHarness, startFeedHarness, startMs, untilPass } from './feed-harness';
import { expectedLog, shortRecording } from './short-recording';

const recording = shortRecording('BTCUSD-PERP', 3_000);
let harness: FeedHarness;
beforeAll(async () => {
  harness = await startFeedHarness();
});
afterAll(async () => {
  await harness.stop();
  recording.remove();
});

test('a second feed of a recording waits, is ready meanwhile, and goes on where the first lets go: the log is that of one feed', async () => {
  const { symbol, lines } = recording;
  const pace = { FEED_SPEED: '30' };
  const first = await harness.start([recording], pace);
  await untilPass(first, symbol, 2);
  const second = await harness.start([recording], pace);
  await waitUntil('a feed that stands by', () => second.snapshot(symbol)?.phase === 'standby', 20_000);
  const ready = await fetch(`http://127.0.0.1:${second.opsPort}/readyz`);
  expect([ready.status, second.snapshot(symbol)?.lastOrdinal]).toEqual([200, 0]);
  await first.close();
  const passes = (first.snapshot(symbol)?.pass ?? 0) + 1;
  await untilPass(second, symbol, passes + 1);
  await second.close();
  const firstShiftMs = nearestShift(recordingSpan(lines, instrumentOf(symbol).venueInstrument), startMs);
  const expected = expectedLog(recording, firstShiftMs, passes);
  expect((await harness.entries(symbol)).slice(0, expected.length)).toEqual(expected);
});
