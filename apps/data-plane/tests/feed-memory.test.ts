import { instrumentOf, nearestShift, recordingSpan } from '@market-state/market-data';
import { waitUntil } from '@market-state/testing';
import { Redis } from 'ioredis';
import { type FeedHarness, startFeedHarness, startMs, untilPass } from './feed-harness';
import { createRedisProcess, type RedisProcess } from './redis-process';
import { expectedLog, shortRecording } from './short-recording';

const recording = shortRecording('BTCUSD-PERP', 3_000);
const { symbol } = recording;
const ballast = 'x'.repeat(32 * 1_048_576);

let process: RedisProcess;
let harness: FeedHarness;
let redis: Redis;
beforeAll(async () => {
  process = await createRedisProcess('everysec');
  await process.start();
  redis = new Redis(process.url);
});
beforeEach(async () => {
  await redis.flushall();
  harness = await startFeedHarness(process.url);
});
afterEach(() => harness.stop());
afterAll(async () => {
  redis.disconnect();
  await process.remove();
  recording.remove();
});

async function expectUnbroken(): Promise<void> {
  const firstShiftMs = nearestShift(recordingSpan(recording.lines, instrumentOf(symbol).venueInstrument), startMs);
  const expected = expectedLog(recording, firstShiftMs, 3);
  expect((await harness.entries(symbol)).slice(0, expected.length)).toEqual(expected);
}

test('above the memory limit the feed stands still, trims nothing, says so, and goes on when there is room', async () => {
  await redis.set('ballast', ballast);
  const feed = await harness.start([recording], { FEED_MEMORY_MB_MAX: '16' });
  await waitUntil('a pause', () => feed.snapshot(symbol)?.phase === 'paused');
  const metrics = await (await fetch(`http://127.0.0.1:${feed.opsPort}/metrics`)).text();
  expect(metrics).toContain(`feed_paused{symbol="${symbol}",reason="memory",service="data-plane-feed"} 1`);
  const valueOf = (name: string) => Number(new RegExp(`^${name}\\{symbol="${symbol}".*\\} (\\S+)$`, 'm').exec(metrics)?.[1]);
  expect(valueOf('event_log_memory_limit_bytes')).toBe(16 * 1_048_576);
  expect(valueOf('event_log_memory_bytes')).toBeGreaterThan(ballast.length);
  expect(valueOf('feed_silence_seconds')).toBeGreaterThanOrEqual(0);
  await redis.del('ballast');
  await untilPass(feed, symbol, 4);
  await feed.close();
  await expectUnbroken();
});

test("at the store's own memory limit the feed stands still and goes on when there is room", async () => {
  await redis.set('ballast', ballast);
  await redis.config('SET', 'maxmemory', '16mb');
  const feed = await harness.start([recording]);
  await waitUntil('a pause', () => feed.snapshot(symbol)?.phase === 'paused');
  await redis.config('SET', 'maxmemory', '0');
  await untilPass(feed, symbol, 4);
  await feed.close();
  await expectUnbroken();
});
