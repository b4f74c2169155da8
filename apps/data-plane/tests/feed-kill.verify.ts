import { instrumentOf, nearestShift, recordingSpan } from '@market-state/market-data';
import { freePort, testRpcVariables, waitUntil } from '@market-state/testing';
import { type FeedHarness, startFeedHarness, startMs } from './feed-harness';
import { buildFeed } from './feed-process';
import { expectedLog, shortRecording } from './short-recording';

const killTotal = 6;
const passes = 4;
const seed = Number(process.env['FEED_KILL_SEED'] ?? Date.now() % 1_000_000);

function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

let harness: FeedHarness;
const bundle = buildFeed();
const recording = shortRecording('BTCUSD-PERP', 12_000);
beforeAll(async () => {
  harness = await startFeedHarness();
});
afterAll(async () => {
  await harness.stop();
  bundle.remove();
  recording.remove();
});

test(`killed at ${killTotal} random moments over ${passes} passes, the log equals an unbroken one (FEED_KILL_SEED=${seed})`, async () => {
  const { symbol, files, lines } = recording;
  const firstShiftMs = nearestShift(recordingSpan(lines, instrumentOf(symbol).venueInstrument), startMs);
  const expected = expectedLog(recording, firstShiftMs, passes);
  const random = randomFrom(seed);
  const grpcAddress = `127.0.0.1:${await freePort()}`;
  const killAt = Array.from({ length: killTotal }, () => 1 + Math.floor(random() * (expected.length - 1))).sort((a, b) => a - b);
  for (const ordinal of [...killAt, expected.length]) {
    const feed = bundle.start({
      ...testRpcVariables('data-plane-feed'),
      GRPC_ADDRESS: grpcAddress,
      DATABASE_URL: harness.stores.postgresUrl('data_plane'),
      REDIS_URL: harness.stores.redisUrl,
      SYMBOLS: symbol,
      FEED_FILE: `${symbol}=${files.join(',')}`,
      FEED_SPEED: 'max',
      FEED_START: String(startMs),
      FEED_CONSUMERS: 'none',
    });
    await waitUntil(`ordinal ${ordinal}`, async () => ((await harness.log.lastId(symbol))?.ordinal ?? 0) >= ordinal).finally(() =>
      feed.kill(),
    );
  }
  expect((await harness.entries(symbol)).slice(0, expected.length)).toEqual(expected);
});
