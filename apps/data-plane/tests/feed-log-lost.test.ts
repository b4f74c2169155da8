import { streamKey } from '@market-state/event-log';
import type { MarketEvent } from '@market-state/market-data';
import { startStores, waitUntil } from '@market-state/testing';
import { Redis } from 'ioredis';
import { type FeedHarness, startFeedHarness, startMs, untilPass } from './feed-harness';
import { createManualClock, type ManualClock } from './manual-clock';
import { hollowRecording } from './short-recording';

const recording = hollowRecording('BTCUSD-PERP', 400);
const { symbol } = recording;

let harness: FeedHarness;
let redis: Redis;
beforeEach(async () => {
  harness = await startFeedHarness();
  redis = new Redis(harness.stores.redisUrl);
});
afterEach(async () => {
  redis.disconnect();
  await harness.stop();
});
afterAll(() => recording.remove());

/** Expected start of a new epoch after the last known event. */
function expectNewEpoch(events: readonly MarketEvent[], before: MarketEvent | undefined): void {
  const [gap, connected] = events;
  expect(gap).toMatchObject({ epoch: (before?.epoch ?? 0) + 1, status: { type: 'gap', reason: 'log_lost' } });
  expect(connected).toMatchObject({ status: { type: 'connected' } });
  expect(gap?.pass).toBeGreaterThan(before?.pass ?? Infinity);
  expect(gap?.ordinal).toBeGreaterThan(before?.ordinal ?? Infinity);
  expect(gap?.receivedTsMs).toBeGreaterThan(before?.receivedTsMs ?? Infinity);
  expect(events.map(({ ordinal }) => ordinal)).toEqual(events.map((_, at) => at + (gap?.ordinal ?? 0)));
}

async function playPasses(pass: number): Promise<void> {
  const feed = await harness.start([recording]);
  await untilPass(feed, symbol, pass);
  await feed.close();
}

test('an empty stream at the start begins a new epoch behind a log_lost gap, past every ordinal and time that was ever used', async () => {
  await playPasses(2);
  const before = (await harness.events(symbol)).at(-1);
  await redis.del(streamKey(symbol));
  await playPasses((before?.pass ?? 0) + 3);
  expectNewEpoch(await harness.events(symbol), before);
});

test('a stream that ends earlier than it did begins a new epoch after what is left', async () => {
  await playPasses(2);
  const events = await harness.events(symbol);
  const kept = 100;
  for (const { epoch, ordinal } of events.slice(kept)) await redis.xdel(streamKey(symbol), `${epoch}-${ordinal}`);
  await playPasses((events.at(-1)?.pass ?? 0) + 3);
  const after = await harness.events(symbol);
  expect(after.slice(0, kept)).toEqual(events.slice(0, kept));
  expectNewEpoch(after.slice(kept), events.at(-1));
});

test('a lost state with a log that is still there begins a new epoch after it', async () => {
  await playPasses(2);
  const before = (await harness.events(symbol)).at(-1);
  const others = await startStores({ services: ['data_plane'] });
  const feed = await harness.start([recording], { DATABASE_URL: others.postgresUrl('data_plane') });
  await untilPass(feed, symbol, (before?.pass ?? 0) + 3);
  await feed.close();
  await others.stop();
  expectNewEpoch((await harness.events(symbol)).slice(before?.ordinal), before);
});

/** Advances the feed in half seconds until the condition holds. */
async function playUntil(clock: ManualClock, isSo: (events: readonly MarketEvent[]) => boolean): Promise<readonly MarketEvent[]> {
  let events: readonly MarketEvent[] = [];
  await waitUntil('the log is as it must be', async () => {
    clock.advance(500);
    await clock.untilWaiting(1);
    events = await harness.events(symbol);
    return isSo(events);
  });
  return events;
}

const isInEpochTwo = (events: readonly MarketEvent[]) => events.filter(({ epoch }) => epoch === 2).length > 1;

test('a stream that vanishes while the feed plays begins a new epoch without a restart', async () => {
  const clock = createManualClock(startMs);
  const feed = await harness.start([recording], { FEED_SPEED: '1' }, { clock });
  clock.advance(10_000);
  await clock.untilWaiting(1);
  const before = (await harness.events(symbol)).at(-1);
  await redis.del(streamKey(symbol));
  await playUntil(clock, isInEpochTwo);
  await feed.close();
  expectNewEpoch(
    (await harness.events(symbol)).filter(({ epoch }) => epoch === 2),
    before,
  );
});

test('entries that the store loses at the end of the log while the feed plays are appended again: the log is that of an unbroken run', async () => {
  const clock = createManualClock(startMs);
  const feed = await harness.start([recording], { FEED_SPEED: '1' }, { clock });
  const played = (total: number): Promise<string[]> =>
    waitUntil(`${total} entries`, async () => {
      clock.advance(500);
      await clock.untilWaiting(1);
      const entries = await harness.entries(symbol);
      return entries.length >= total && entries;
    });
  const before = await played(30);
  const lost = 7;
  const left = redis.multi().del(streamKey(symbol));
  for (const [id = '', payload = ''] of before.slice(0, -lost).map((entry) => entry.split(' ')))
    left.xadd(streamKey(symbol), id, 'e', Buffer.from(payload, 'hex'));
  await left.exec();
  const after = await played(before.length + 10);
  expect(after.slice(0, before.length)).toEqual(before);
  expect(new Set((await harness.events(symbol)).map(({ epoch }) => epoch))).toEqual(new Set([1]));
  const metrics = await (await fetch(`http://127.0.0.1:${feed.opsPort}/metrics`)).text();
  expect(metrics).toContain(`feed_log_repaired_entries_total{symbol="${symbol}",service="data-plane-feed"} ${lost}`);
  await feed.close();
});

test('entries that the recorder has not are in the stream again before the new epoch', async () => {
  const clock = createManualClock(startMs);
  const feed = await harness.start([recording], { FEED_SPEED: '1' }, { clock });
  const [recorded] = await playUntil(clock, ({ length }) => length > 0);
  await harness.log.setPosition(symbol, 'recorder', { epoch: recorded?.epoch ?? 0, ordinal: recorded?.ordinal ?? 0 });
  const unrecorded = (await playUntil(clock, ({ length }) => length > 30)).slice(1);
  await redis.flushdb();
  const found = await playUntil(clock, isInEpochTwo);
  await feed.close();
  expect(found.slice(0, unrecorded.length)).toEqual(unrecorded);
  expectNewEpoch(
    found.filter(({ epoch }) => epoch === 2),
    found.findLast(({ epoch }) => epoch === 1),
  );
});
