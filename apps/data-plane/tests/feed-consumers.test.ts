import { waitUntil } from '@market-state/testing';
import { type FeedHarness, startFeedHarness, untilPass } from './feed-harness';
import { hollowRecording } from './short-recording';

const recording = hollowRecording('BTCUSD-PERP', 400);
const { symbol } = recording;
const entriesAheadMax = 1_000;
const batchEntriesMax = 200;

let harness: FeedHarness;
beforeEach(async () => {
  harness = await startFeedHarness();
});
afterEach(() => harness.stop());
afterAll(() => recording.remove());

const lastOrdinal = async () => (await harness.log.lastId(symbol))?.ordinal ?? 0;
const firstOrdinal = async () => (await harness.log.firstId(symbol))?.ordinal ?? 0;

test('an expected consumer that never came holds the feed and its log', async () => {
  const feed = await harness.start([recording], { FEED_CONSUMERS: 'recorder,labeling' }, { entriesAheadMax, retentionMs: 1_000 });
  await waitUntil('a pause', () => feed.snapshot(symbol)?.phase === 'paused');
  await harness.log.setPosition(symbol, 'recorder', { epoch: 1, ordinal: 500 });
  expect(await firstOrdinal()).toBe(1);
  expect(await lastOrdinal()).toBeGreaterThan(entriesAheadMax);
  expect(await lastOrdinal()).toBeLessThanOrEqual(entriesAheadMax + batchEntriesMax);
  await feed.close();
});

test('the feed goes on as the slowest consumer does, and trims up to its place at most', async () => {
  const feed = await harness.start([recording], { FEED_CONSUMERS: 'recorder,labeling' }, { entriesAheadMax, retentionMs: 1_000 });
  for (const ordinal of [700, 1_500, 2_900]) {
    await harness.log.setPosition(symbol, 'recorder', { epoch: 1, ordinal: ordinal + 900 });
    await harness.log.setPosition(symbol, 'labeling', { epoch: 1, ordinal });
    await waitUntil(`entries past ${ordinal + entriesAheadMax}`, async () => (await lastOrdinal()) > ordinal + entriesAheadMax);
    await waitUntil('the trim', async () => (await firstOrdinal()) === ordinal);
    expect(await lastOrdinal()).toBeLessThanOrEqual(ordinal + entriesAheadMax + batchEntriesMax);
  }
  await feed.close();
});

test('the log keeps the retention of feed time and not much more', async () => {
  const retentionMs = 900_000;
  const feed = await harness.start([recording], {}, { retentionMs });
  await untilPass(feed, symbol, 8);
  await feed.close();
  const events = await harness.events(symbol);
  const keptMs = (events.at(-1)?.receivedTsMs ?? 0) - (events[0]?.receivedTsMs ?? 0);
  expect(keptMs).toBeGreaterThanOrEqual(retentionMs);
  expect(keptMs).toBeLessThan(2 * retentionMs);
});

test('marks of the log are found again after a restart: the trim goes on', async () => {
  const retentionMs = 900_000;
  const first = await harness.start([recording]);
  await untilPass(first, symbol, 8);
  await first.close();
  expect(await firstOrdinal()).toBe(1);
  const second = await harness.start([recording], {}, { retentionMs });
  await waitUntil('the trim', async () => (await firstOrdinal()) > 1);
  await second.close();
  const events = await harness.events(symbol);
  expect((events.at(-1)?.receivedTsMs ?? 0) - (events[0]?.receivedTsMs ?? 0)).toBeGreaterThanOrEqual(retentionMs);
});
