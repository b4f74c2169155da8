import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { instrumentOf, nearestShift, recordingSpan } from '@market-state/market-data';
import { waitUntil } from '@market-state/testing';
import type { RunningFeed } from '../src/feed/start-feed';
import { type FeedHarness, startFeedHarness, startMs, untilPass } from './feed-harness';
import { expectedLog, shortRecording } from './short-recording';

const SYMBOLS = ['BTCUSD-PERP', 'ETHUSD-PERP'] as const;
const recordings = SYMBOLS.map((symbol) => shortRecording(symbol, 1_500));
let harness: FeedHarness;
beforeAll(async () => {
  harness = await startFeedHarness();
});
afterAll(async () => {
  await harness.stop();
  for (const recording of recordings) recording.remove();
});

test('two shards, two feeds of each: one plays, the other takes over, and each log is that of one feed', async () => {
  const list = join(dirname(recordings[0]?.files[0] ?? ''), 'shards.json');
  writeFileSync(list, JSON.stringify(SYMBOLS.map((symbol) => [symbol])));
  const start = (ordinal: number) =>
    harness.start(recordings, { FEED_SPEED: '30', SHARDS_FILE: list, SHARD_INDEX: `data-plane-feed-${ordinal}` });
  const playing = [await start(0), await start(1)];
  await Promise.all(SYMBOLS.map((symbol, shard) => untilPass(playing[shard] as RunningFeed, symbol, 1)));
  const standing = [await start(2), await start(3)];
  for (const [shard, symbol] of SYMBOLS.entries())
    await waitUntil(`a standby of ${symbol}`, () => standing[shard]?.snapshot(symbol)?.phase === 'standby');
  const has = [...playing, ...standing].map((feed) => SYMBOLS.filter((symbol) => feed.snapshot(symbol) !== undefined));
  expect(has).toEqual([['BTCUSD-PERP'], ['ETHUSD-PERP'], ['BTCUSD-PERP'], ['ETHUSD-PERP']]);

  await Promise.all(playing.map((feed) => feed.close()));
  for (const [shard, { symbol, lines, ...rest }] of recordings.entries()) {
    const passes = (playing[shard]?.snapshot(symbol)?.pass ?? 0) + 1;
    await untilPass(standing[shard] as RunningFeed, symbol, passes + 1);
    await standing[shard]?.close();
    const firstShiftMs = nearestShift(recordingSpan(lines, instrumentOf(symbol).venueInstrument), startMs);
    const expected = expectedLog({ symbol, lines, ...rest }, firstShiftMs, passes);
    expect((await harness.entries(symbol)).slice(0, expected.length)).toEqual(expected);
  }
});
