import { type FeedHarness, startFeedHarness, startMs } from './feed-harness';
import { createManualClock } from './manual-clock';
import { hollowRecording, shortRecording } from './short-recording';

const recording = shortRecording('BTCUSD-PERP', 6_000);
const long = hollowRecording('BTCUSD-PERP', 400);
const { symbol } = recording;
const wallMs = Date.UTC(2030, 0, 1);

let harness: FeedHarness;
beforeEach(async () => {
  harness = await startFeedHarness();
});
afterEach(() => harness.stop());
afterAll(() => [recording, long].forEach((each) => each.remove()));

async function lastClockMs(): Promise<number> {
  return (await harness.events(symbol)).at(-1)?.receivedTsMs ?? NaN;
}

test.each([1, 20, 0.5])('at FEED_SPEED=%f the log is never ahead of its time, and an entry is there when it is due', async (speed) => {
  const clock = createManualClock(wallMs);
  const feed = await harness.start([recording], { FEED_SPEED: String(speed) }, { clock });
  for (const advanceMs of [0, 100, 700, 3, 1_200]) {
    clock.advance(advanceMs);
    const nextInMs = await clock.untilWaiting(1);
    const feedClockMs = (await harness.events(symbol))[0]?.receivedTsMs ?? NaN;
    const nowMs = feedClockMs + (clock.nowMs() - wallMs) * speed;
    expect(await lastClockMs()).toBeLessThanOrEqual(nowMs);
    expect(await lastClockMs()).toBeGreaterThan(nowMs - 250);
    expect(nextInMs * speed).toBeLessThanOrEqual(250);
  }
  await feed.close();
});

test('the anchor of the pace survives a restart: overdue entries follow immediately', async () => {
  const clock = createManualClock(wallMs);
  const first = await harness.start([recording], { FEED_SPEED: '20' }, { clock });
  await clock.untilWaiting(1);
  await first.close();
  clock.advance(1_000);
  const second = await harness.start([recording], { FEED_SPEED: '20' }, { clock });
  await clock.untilWaiting(1);
  const firstMs = (await harness.events(symbol))[0]?.receivedTsMs ?? NaN;
  expect(Math.abs((await lastClockMs()) - (firstMs + 20_000))).toBeLessThan(250);
  await second.close();
});

test('at another speed than before the feed goes on from where it stands', async () => {
  const clock = createManualClock(wallMs);
  const first = await harness.start([recording], { FEED_SPEED: '20' }, { clock });
  clock.advance(1_000);
  await clock.untilWaiting(1);
  await first.close();
  const before = await lastClockMs();
  clock.advance(5_000);
  const second = await harness.start([recording], { FEED_SPEED: '1' }, { clock });
  await clock.untilWaiting(1);
  clock.advance(1_000);
  await clock.untilWaiting(1);
  expect(Math.abs((await lastClockMs()) - (before + 1_000))).toBeLessThanOrEqual(250);
  await second.close();
});

test('without FEED_START a faster feed primes up to now and goes faster from there', async () => {
  const clock = createManualClock(startMs + 100);
  const feed = await harness.start([long], { FEED_SPEED: '10', FEED_START: '' }, { clock, retentionMs: 60_000 });
  await clock.untilWaiting(1);
  expect(Math.abs((await lastClockMs()) - clock.nowMs())).toBeLessThan(250);
  clock.advance(1_000);
  await clock.untilWaiting(1);
  expect(Math.abs((await lastClockMs()) - (startMs + 100 + 10_000))).toBeLessThan(250);
  await feed.close();
});
