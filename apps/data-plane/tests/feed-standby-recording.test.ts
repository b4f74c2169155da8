import { feed as contract } from '@market-state/contracts';
import { createClient } from '@market-state/grpc';
import { instrumentOf, nearestShift, recordingSpan } from '@market-state/market-data';
import { testPeer, waitUntil } from '@market-state/testing';
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

test('a second feed of a recording waits, is ready while waiting, and continues where the first stops: the log is that of one feed', async () => {
  const { symbol, lines } = recording;
  const pace = { FEED_SPEED: '30' };
  const first = await harness.start([recording], pace);
  await untilPass(first, symbol, 2);
  const second = await harness.start([recording], pace);
  await waitUntil('a feed that stands by', () => second.snapshot(symbol)?.phase === 'standby');
  const ready = await fetch(`http://127.0.0.1:${second.opsPort}/readyz`);
  expect([ready.status, second.snapshot(symbol)?.lastOrdinal]).toEqual([200, 0]);
  const [playing, standing] = [first, second].map(({ address }) =>
    createClient({ definition: contract.FeedServiceService, peer: testPeer('data-plane-feed'), address }),
  );
  if (playing === undefined || standing === undefined) throw new Error('no clients');
  await waitUntil('a feed that plays', async () => (await playing.call.getFeedState({})).symbols[0]?.phase === 'playing');
  expect((await playing.call.getFeedState({})).symbols).toMatchObject([{ symbol, standsBy: false }]);
  expect((await standing.call.getFeedState({})).symbols).toMatchObject([{ symbol, phase: 'standby', standsBy: true, lastOrdinal: 0 }]);
  expect((await playing.call.getDeepBook({ symbol, depth: 5 })).bids).toHaveLength(5);
  await expect(standing.call.getDeepBook({ symbol, depth: 5 })).rejects.toMatchObject({ reason: 'book_not_available' });
  await Promise.all([playing.close(), standing.close()]);
  await first.close();
  const passes = (first.snapshot(symbol)?.pass ?? 0) + 1;
  await untilPass(second, symbol, passes + 1);
  await second.close();
  const firstShiftMs = nearestShift(recordingSpan(lines, instrumentOf(symbol).venueInstrument), startMs);
  const expected = expectedLog(recording, firstShiftMs, passes);
  expect((await harness.entries(symbol)).slice(0, expected.length)).toEqual(expected);
});
