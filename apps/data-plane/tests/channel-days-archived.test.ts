import { mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { marketData } from '@market-state/contracts';
import { waitUntil } from '@market-state/testing';
import { LogFixture, SYMBOL } from './log-fixture';
import { startDataPlaneSystem, type System } from './rpc-harness';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const DAY = Date.UTC(2026, 0, 6);
const NEXT_DAY = DAY + DAY_MS;
const RESTART = { startMs: DAY + 12 * HOUR_MS, endMs: DAY + 12 * HOUR_MS + 10 * MINUTE_MS };
/** Each with a book, a trade and a tick, before and after the restart. */
const MINUTES = [DAY, RESTART.endMs].flatMap((startMs) => [0, 1, 2, 3, 4].map((minutes) => startMs + minutes * MINUTE_MS));

let folder: string;
let system: System;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channel-days-'));
  system = await startDataPlaneSystem({ ARCHIVE_URL: folder, HOT_DAYS: '0' });
});

afterAll(async () => {
  await system.close();
  await rm(folder, { recursive: true, force: true });
});

async function daysOf(channels: readonly string[]): Promise<marketData.ChannelDay[]> {
  const span = { fromMs: DAY, toMs: NEXT_DAY, asOfMs: 0 };
  const { days } = await system.call.listChannelDays({ symbol: SYMBOL, channels: [...channels], ...span });
  // The current hour keeps changing.
  return days.map((day) => ({ ...day, lastModifiedMs: 0 }));
}

async function untilDropped(): Promise<void> {
  await waitUntil('the day dropped from the hot rows', async () => {
    const { rows } = await system.pool.query<{ hot_from_ms: string }>(
      `SELECT hot_from_ms FROM retention WHERE channel IN ('book', 'trade')`,
    );
    return rows.length === 2 && rows.every(({ hot_from_ms: fromMs }) => Number(fromMs) >= NEXT_DAY);
  });
}

test('archived and dropped rows count as they did; where a file is damaged their number is not known', async () => {
  const fixture = new LogFixture(SYMBOL).connected(DAY - MINUTE_MS, ['book', 'trade', 'context']);
  for (const atMs of [DAY - MINUTE_MS, ...MINUTES, NEXT_DAY]) {
    const venueId = String(atMs / MINUTE_MS);
    if (atMs === RESTART.endMs) fixture.status(atMs, { type: 'gap', gapId: 'gap_restart', ...RESTART, reason: 'feed_down' });
    fixture
      .book(atMs, venueId, '100', '101')
      .trade(atMs + 1, venueId, '100.5', '1')
      .tick(atMs + 2);
  }
  // The day's last row arrives in the first hour of the next day, whose file contains it.
  fixture.trade(NEXT_DAY - 500, 'late', '100.5', '1').tick(NEXT_DAY + MINUTE_MS);
  await system.play(fixture);
  const hot = await daysOf(['book', 'trades']);
  expect(hot.map(({ rowTotal }) => rowTotal)).toEqual([MINUTES.length, MINUTES.length + 1]);
  expect(hot[1]).toMatchObject({ condition: 'degraded', gapIds: ['gap_restart'], observedMs: DAY_MS - 10 * MINUTE_MS });

  await system.play(fixture.tick(NEXT_DAY + HOUR_MS + MINUTE_MS));
  await untilDropped();
  expect(await daysOf(['book', 'trades'])).toEqual(hot);

  const { rows } = await system.pool.query<{ object_key: string }>(
    `SELECT object_key FROM archive_file WHERE channel = 'trade' AND hour_ms = $1`,
    [NEXT_DAY],
  );
  await truncate(join(folder, rows[0]?.object_key ?? ''), 100);
  const [damaged] = await daysOf(['trades']);
  expect(damaged).toMatchObject({ condition: 'degraded', reasons: ['feed_down', 'archive_unreadable'], rowTotal: undefined });
});
