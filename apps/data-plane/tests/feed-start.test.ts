import type { MarketEvent } from '@market-state/market-data';
import { type FeedHarness, startFeedHarness, startMs, untilPass } from './feed-harness';
import { createManualClock } from './manual-clock';
import { hollowRecording } from './short-recording';

const recording = hollowRecording('BTCUSD-PERP', 400);
const { symbol } = recording;
const hourMs = 3_600_000;
const minuteMs = 60_000;

let harness: FeedHarness;
beforeEach(async () => {
  harness = await startFeedHarness();
});
afterEach(() => harness.stop());
afterAll(() => recording.remove());

const byDefault = { FEED_SPEED: '1', FEED_START: '' };

async function playUpTo(clockMs: number, env: Record<string, string> = byDefault): Promise<void> {
  const clock = createManualClock(clockMs);
  const feed = await harness.start([recording], env, { clock });
  await clock.untilWaiting(1);
  await feed.close();
}

function expectGapless(events: readonly MarketEvent[]): void {
  expect(events.map(({ ordinal }) => ordinal)).toEqual(events.map((_, at) => at + (events[0]?.ordinal ?? 0)));
}

function expectUnbrokenTicks(events: readonly MarketEvent[]): void {
  const ticks = events.filter(({ kind }) => kind === 'tick').map(({ receivedTsMs }) => receivedTsMs);
  expect(ticks).toEqual(ticks.map((_, at) => (ticks[0] ?? 0) + at * 250));
  expect((ticks[0] ?? 1) % 250).toBe(0);
}

test('without FEED_START the log begins with the last full clock hour and is primed up to now', async () => {
  const nowMs = startMs + 2 * hourMs + minuteMs;
  await playUpTo(nowMs);
  const events = await harness.events(symbol);
  const firstMs = events[0]?.receivedTsMs ?? 0;
  expect(startMs + hourMs - firstMs).toBeGreaterThanOrEqual(0);
  expect(startMs + hourMs - firstMs).toBeLessThan(10_000);
  expect(nowMs - (events.at(-1)?.receivedTsMs ?? 0)).toBeLessThan(250);
  expectGapless(events);
  expectUnbrokenTicks(events);
});

test('a feed that comes back within the last full hour goes on without a gap', async () => {
  const nowMs = startMs + minuteMs;
  await playUpTo(nowMs);
  await playUpTo(nowMs + hourMs);
  const events = await harness.events(symbol);
  expectGapless(events);
  expectUnbrokenTicks(events);
  expect(events.filter((event) => event.kind === 'feed_status' && event.status.type === 'gap')).toEqual([]);
});

test('a feed that was away for longer begins a new pass with the last full hour, behind a feed_down gap', async () => {
  const nowMs = startMs + minuteMs;
  await playUpTo(nowMs);
  const before = await harness.events(symbol);
  await playUpTo(nowMs + 3 * hourMs);
  const after = (await harness.events(symbol)).filter(({ ordinal }) => ordinal > before.length);
  const [gap, connected] = after;
  expect(gap).toMatchObject({
    ordinal: before.length + 1,
    epoch: 1,
    pass: (before.at(-1)?.pass ?? 0) + 1,
    status: { type: 'gap', reason: 'feed_down' },
  });
  expect(connected).toMatchObject({ status: { type: 'connected' } });
  expect(startMs + 2 * hourMs - (gap?.receivedTsMs ?? 0)).toBeGreaterThanOrEqual(0);
  expect(startMs + 2 * hourMs - (gap?.receivedTsMs ?? 0)).toBeLessThan(10_000);
  expectGapless(after);
  expectUnbrokenTicks(after);
});

test('another recording than before begins a new pass behind a gap', async () => {
  const other = hollowRecording(symbol, 500);
  await playUpTo(startMs + minuteMs);
  const before = await harness.events(symbol);
  const clock = createManualClock(startMs + 2 * minuteMs);
  const feed = await harness.start([other], byDefault, { clock });
  await clock.untilWaiting(1);
  await feed.close();
  other.remove();
  const after = (await harness.events(symbol)).slice(before.length);
  expect(after[0]).toMatchObject({ pass: (before.at(-1)?.pass ?? 0) + 1, status: { type: 'gap', reason: 'feed_down' } });
  expect(after[0]?.receivedTsMs).toBeGreaterThan(before.at(-1)?.receivedTsMs ?? Infinity);
  expectGapless([...before, ...after]);
});

test.each([startMs, startMs + 4_999, startMs + 5_001, startMs + 123_456])(
  'FEED_START=%i puts the first message within 5 s of it',
  async (given) => {
    const feed = await harness.start([recording], { FEED_START: String(given) });
    await untilPass(feed, symbol, 2);
    await feed.close();
    const [first] = await harness.events(symbol);
    expect(Math.abs((first?.receivedTsMs ?? 0) - given)).toBeLessThanOrEqual(5_000);
  },
);

test('FEED_START does not move a feed that has a log', async () => {
  await playUpTo(startMs + minuteMs, { FEED_SPEED: '1', FEED_START: String(startMs) });
  const before = await harness.entries(symbol);
  await playUpTo(startMs + 2 * minuteMs, { FEED_SPEED: '1', FEED_START: String(startMs + 5 * hourMs) });
  expect((await harness.entries(symbol)).slice(0, before.length)).toEqual(before);
  expectUnbrokenTicks(await harness.events(symbol));
});
