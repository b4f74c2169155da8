import { instrumentOf, nearestShift, recordingSpan } from '@market-state/market-data';
import { waitUntil } from '@market-state/testing';
import { startCutProxy } from './cut-proxy';
import { startFeedHarness, startMs, untilPass } from './feed-harness';
import { expectedLog, shortRecording } from './short-recording';

const recording = shortRecording('BTCUSD-PERP', 3_000);
const { symbol } = recording;
const firstShiftMs = nearestShift(recordingSpan(recording.lines, instrumentOf(symbol).venueInstrument), startMs);
const expected = expectedLog(recording, firstShiftMs, 2);

afterAll(() => recording.remove());

test('connections to both stores that are cut once lose no entry and double none', async () => {
  const harness = await startFeedHarness();
  const redis = await startCutProxy(harness.stores.redisUrl);
  const postgres = await startCutProxy(harness.stores.postgresUrl('data_plane'));
  const feed = await harness.start([recording], { REDIS_URL: redis.url, DATABASE_URL: postgres.url });
  await waitUntil('the first entries', async () => ((await harness.log.lastId(symbol))?.ordinal ?? 0) >= 200);
  for (const wire of [redis, postgres]) wire.cut();
  for (const wire of [redis, postgres]) wire.repair();
  await untilPass(feed, symbol, 3);
  await feed.close();
  expect((await harness.entries(symbol)).slice(0, expected.length)).toEqual(expected);
  await Promise.all([redis.close(), postgres.close()]);
  await harness.stop();
});

test('a feed starts once its stores are there', async () => {
  const harness = await startFeedHarness();
  const redis = await startCutProxy(harness.stores.redisUrl);
  const postgres = await startCutProxy(harness.stores.postgresUrl('data_plane'));
  for (const wire of [redis, postgres]) wire.cut();
  const starting = harness.start([recording], { REDIS_URL: redis.url, DATABASE_URL: postgres.url });
  for (const wire of [postgres, redis]) wire.repair();
  const feed = await starting;
  await untilPass(feed, symbol, 2);
  await feed.close();
  await Promise.all([redis.close(), postgres.close()]);
  await harness.stop();
});
