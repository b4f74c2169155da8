import { instrumentOf, nearestShift, recordingSpan } from '@market-state/market-data';
import { waitUntil } from '@market-state/testing';
import { startCutProxy } from './cut-proxy';
import { type FeedHarness, startFeedHarness, startMs, untilPass } from './feed-harness';
import { createRedisProcess } from './redis-process';
import { expectedLog, shortRecording } from './short-recording';

const recording = shortRecording('BTCUSD-PERP', 20_000);
const { symbol } = recording;
const firstShiftMs = nearestShift(recordingSpan(recording.lines, instrumentOf(symbol).venueInstrument), startMs);
const expected = expectedLog(recording, firstShiftMs, 2);

afterAll(() => recording.remove());

const reached = (harness: FeedHarness, ordinal: number) =>
  waitUntil(`ordinal ${ordinal}`, async () => ((await harness.log.lastId(symbol))?.ordinal ?? 0) >= ordinal);

async function expectUnbroken(harness: FeedHarness): Promise<void> {
  expect((await harness.entries(symbol)).slice(0, expected.length)).toEqual(expected);
}

// With everysec, Redis defers writes while its disk is busy, so a kill can lose acknowledged entries.
test.each([
  ['SIGTERM', 'everysec'],
  ['SIGKILL', 'always'],
] as const)(
  'a Redis that ends by %s and writes its append-only file %s comes back with no entry lost and none doubled',
  async (signal, fsync) => {
    const redis = await createRedisProcess(fsync);
    await redis.start();
    const harness = await startFeedHarness(redis.url);
    const feed = await harness.start([recording]);
    for (const ordinal of [300, 2_000, 3_000]) {
      await reached(harness, ordinal);
      await redis.stop(signal);
      await redis.start();
    }
    await untilPass(feed, symbol, 3);
    await feed.close();
    await expectUnbroken(harness);
    await harness.stop();
    await redis.remove();
  },
);

test('connections to both stores that are cut again and again lose no entry and double none', async () => {
  const harness = await startFeedHarness();
  const redis = await startCutProxy(harness.stores.redisUrl);
  const postgres = await startCutProxy(harness.stores.postgresUrl('data_plane'));
  const feed = await harness.start([recording], { REDIS_URL: redis.url, DATABASE_URL: postgres.url });
  for (let ordinal = 200; ordinal < expected.length - 400; ordinal += 400) {
    await reached(harness, ordinal);
    for (const wire of [redis, postgres]) wire.cut();
    for (const wire of [redis, postgres]) wire.repair();
  }
  await untilPass(feed, symbol, 3);
  await feed.close();
  await expectUnbroken(harness);
  await Promise.all([redis.close(), postgres.close()]);
  await harness.stop();
});
