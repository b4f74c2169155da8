import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openRecording, rowLine } from '@market-state/market-data';
import { waitUntil } from '@market-state/testing';
import { readLines } from '../src/feed/recordings';
import type { RunningFeed } from '../src/feed/start-feed';
import { type FeedHarness, startFeedHarness } from './feed-harness';
import { expectedLog, shortRecording } from './short-recording';

const ARCHIVE = join(import.meta.dirname, '../../../libs/domain/market-data/fixtures/tardis-csv');
const OWN_TIMES = { FEED_START: 'recorded', FEED_SPEED: 'max' };
const recording = shortRecording('BTCUSD-PERP', 3_000);
const { symbol } = recording;
const expected = expectedLog(recording, 0, 1);

let harness: FeedHarness;
beforeEach(async () => {
  harness = await startFeedHarness();
});
afterEach(() => harness.stop());
afterAll(() => recording.remove());

async function untilOrdinal(feed: RunningFeed, ordinal: number): Promise<void> {
  await waitUntil(`entry ${ordinal}`, () => (feed.snapshot(symbol)?.lastOrdinal ?? 0) >= ordinal);
}

test('FEED_START=recorded logs a recording once, at its own times, also when it is interrupted', async () => {
  const first = await harness.start([recording], OWN_TIMES);
  await untilOrdinal(first, Math.floor(expected.length / 2));
  await first.close();
  const second = await harness.start([recording], OWN_TIMES);
  await untilOrdinal(second, expected.length);
  await second.close();
  const third = await harness.start([recording], OWN_TIMES);
  await waitUntil('the start', () => third.snapshot(symbol)?.phase === 'playing');
  await third.close();
  expect(await harness.entries(symbol)).toEqual(expected);
});

test('an archive in the log has the rows that the command line makes of it, and ticks up to the end of its pass', async () => {
  const files = readdirSync(ARCHIVE).map((name) => join(ARCHIVE, name));
  const archive = await openRecording(
    files.map((path) => ({ name: path, lines: readLines(path) })),
    { symbol },
  );
  const rows: string[] = [];
  for await (const events of archive.events) rows.push(...events.map(rowLine));
  const feed = await harness.start([{ ...recording, files }], OWN_TIMES);
  await untilOrdinal(feed, rows.length);
  await feed.close();
  const events = await harness.events(symbol);
  // The last book waits for a message that closes its bucket: here a tick, there the end of the files.
  const content = (some: readonly string[]) =>
    some
      .map(withoutOrdinal)
      .filter(({ kind }) => kind !== 'tick')
      .slice(0, -1);
  expect(content(events.map(rowLine))).toEqual(content(rows));
  expect(events.every(({ pass, epoch }) => pass === 1 && epoch === 1)).toBe(true);
});

function withoutOrdinal(row: string): Record<string, unknown> {
  return { ...(JSON.parse(row) as Record<string, unknown>), ordinal: undefined };
}
