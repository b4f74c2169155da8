import { appendFile } from 'node:fs/promises';
import { createArchiveReader, type ObjectStore } from '@market-state/archive';
import { CHANNELS, decodeEvent } from '@market-state/market-data';
import { type ArchiveBench, DAY_MS, HOUR_MS, startArchiveBench } from './archive-fixture';
import {
  archiveFiles,
  DAY_START_MS,
  entriesOf,
  hotTotal,
  LAST_HOUR_MS,
  market,
  ONE,
  recordOverMidnight,
  recordTwoMidnights,
  SYMBOLS,
} from './recorded-midnights';
import { expectedRows, readWindowRows } from '../src/store/window-reader';
import { readEntries } from '../src/store/log-entries';

let bench: ArchiveBench;

beforeAll(async () => {
  bench = await startArchiveBench(SYMBOLS);
});
afterAll(() => bench.close());
beforeEach(() => bench.reset());

test('days are dropped by the feed clock when they are past their days, not a tick earlier', async () => {
  const played = SYMBOLS.map((symbol) => ({ symbol, market: market(symbol, DAY_START_MS + DAY_MS - 600_000) }));
  for (const { market: one } of played) {
    await bench.record(one.upTo(DAY_START_MS + DAY_MS + 600_000));
    one.skipTo(DAY_START_MS + 2 * DAY_MS - 600_000);
  }
  const [ahead] = played;
  const playTo = async (clockMs: number): Promise<void> => {
    for (const { market: one } of played) await bench.record(one.upTo(clockMs));
    await bench.archive();
    await bench.retain(1, 30);
  };
  await playTo(DAY_START_MS + 2 * DAY_MS - 5_000);
  expect((await bench.pool.query('SELECT * FROM retention')).rows).toEqual(CHANNELS.flatMap(() => []));
  await bench.record(ahead?.market.upTo(DAY_START_MS + 2 * DAY_MS) ?? []);
  await bench.archive();
  await bench.retain(1, 30);
  expect((await bench.pool.query('SELECT * FROM retention WHERE hot_from_ms > 0')).rows).toEqual([]);
  expect(await bench.metricsText()).not.toMatch(/archive_retention_blocked\{[^}]*\} 1/);
  ahead?.market.skipTo(DAY_START_MS + 3 * DAY_MS);
  await bench.record(ahead?.market.upTo(DAY_START_MS + 3 * DAY_MS + 600_000) ?? []);
  await bench.retain(1, 30);
  expect(await bench.metricsText()).toMatch(/archive_retention_blocked\{[^}]*channel="book"[^}]*\} 1/);
  await playTo(DAY_START_MS + 2 * DAY_MS);
  const { rows } = await bench.pool.query<{ hot_from_ms: string }>('SELECT hot_from_ms FROM retention');
  expect(rows.map(({ hot_from_ms }) => Number(hot_from_ms))).toEqual(CHANNELS.map(() => DAY_START_MS + DAY_MS));
  const { rows: oldest } = await bench.pool.query<{ first_ms: string }>('SELECT min(exchange_ts_ms) AS first_ms FROM log_entry');
  expect(Number(oldest[0]?.first_ms)).toBeGreaterThanOrEqual(DAY_START_MS + DAY_MS);
});

test.each<[string, (key: string) => Promise<void>]>([
  ['damaged', async (key) => appendFile(await bench.store.get(key), 'x')],
  ['missing', (key) => bench.store.delete(key)],
])('a day with a %s file is not dropped', async (_, harm) => {
  await recordOverMidnight(bench, 60_000, ONE);
  await bench.archive();
  const total = await hotTotal(bench);
  for (const { object_key } of await archiveFiles(bench)) await harm(object_key);
  await bench.retain(0, 30, bench.store, ONE);
  expect(await hotTotal(bench)).toBe(total);
  expect((await bench.pool.query('SELECT * FROM retention WHERE hot_from_ms > 0')).rows).toEqual([]);
});

test('a late row of a day that was dropped is kept, read, archived, and dropped in its turn', async () => {
  const one = market('BTCUSD-PERP', LAST_HOUR_MS, 10_000);
  const aheadMs = DAY_START_MS + DAY_MS + 3 * HOUR_MS;
  await bench.record(market('ETHUSD-PERP', aheadMs - HOUR_MS / 4, 60_000).upTo(aheadMs));
  const log = one.upTo(DAY_START_MS + DAY_MS);
  await bench.record(log);
  await bench.archive();
  await bench.retain(0, 30);
  for (const hour of [0, 1, 2]) {
    const more = one.upTo(DAY_START_MS + DAY_MS + hour * HOUR_MS + HOUR_MS / 4);
    log.push(...more);
    await bench.record(more);
    expect(await entriesOf(bench, 'BTCUSD-PERP')).toEqual(log.map(({ payload }) => Buffer.from(payload).toString('hex')));
    await bench.archive();
    await bench.retain(0, 30);
    expect(await entriesOf(bench, 'BTCUSD-PERP')).toEqual(log.map(({ payload }) => Buffer.from(payload).toString('hex')));
  }
  const late = log
    .map(({ payload }) => decodeEvent(payload))
    .filter((event) => event.receivedTsMs >= DAY_START_MS + DAY_MS && event.exchangeTsMs < DAY_START_MS + DAY_MS);
  expect(late.length).toBeGreaterThan(3);
});

test('files are deleted when all their rows are past the archive days and no longer hot, and candles with the trades they are of', async () => {
  await recordTwoMidnights(bench, ONE);
  await bench.archive();
  const minutes = async (): Promise<number[]> =>
    (await bench.pool.query<{ open_ms: string }>('SELECT open_ms FROM candle_minute ORDER BY symbol, open_ms')).rows.map(({ open_ms }) =>
      Number(open_ms),
    );
  const before = await archiveFiles(bench);
  const minutesBefore = await minutes();
  await bench.retain(5, 0, bench.store, ONE);
  expect(await archiveFiles(bench)).toEqual(before);
  expect(before).toHaveLength(CHANNELS.length * 4);
  expect(await minutes()).toEqual(minutesBefore);
  await bench.retain(0, 1, bench.store, ONE);
  const left = await archiveFiles(bench);
  expect(left.length).toBeLessThan(before.length);
  expect(left.every(({ hour_ms }) => Number(hour_ms) > LAST_HOUR_MS)).toBe(true);
  expect((await bench.store.list('')).filter((key) => key.endsWith('.parquet')).sort()).toEqual(
    left.map(({ object_key }) => object_key).sort(),
  );
  // Readers are not sent to deleted files.
  const [oldest] = await entriesOf(bench, 'BTCUSD-PERP').then((entries) => entries.map((hex) => decodeEvent(Buffer.from(hex, 'hex'))));
  expect(oldest?.receivedTsMs).toBeGreaterThanOrEqual(DAY_START_MS + DAY_MS);
  const { rows } = await bench.pool.query<{ from_ms: string }>(`SELECT archive_from_ms AS from_ms FROM retention WHERE channel = 'trade'`);
  const minutesLeft = minutesBefore.filter((openMs) => openMs >= Number(rows[0]?.from_ms));
  expect(await minutes()).toEqual(minutesLeft);
  expect(minutesLeft.length).toBeGreaterThan(0);
  expect(minutesLeft.length).toBeLessThan(minutesBefore.length);
});

test('a deletion that stops after any step is finished by the next', async () => {
  await recordTwoMidnights(bench, ONE);
  await bench.archive();
  const before = await archiveFiles(bench);
  let deletions = 0;
  // Fails before and after the deletion of the file and of its manifest, then succeeds.
  const faulty: ObjectStore = {
    ...bench.store,
    async delete(key) {
      deletions += 1;
      const step = deletions % 8;
      if (step === 1 || step === 4) throw new Error('killed');
      await bench.store.delete(key);
      if (step === 2 || step === 6) throw new Error('killed');
    },
  };
  let stops = 0;
  const isStopped = (): Promise<boolean> =>
    bench.retain(0, 1, faulty, ONE).then(
      () => false,
      () => true,
    );
  while (stops < 100 && (await isStopped())) stops += 1;
  const left = await archiveFiles(bench);
  const deleted = before.length - left.length;
  expect([stops, deletions]).toEqual([4 * deleted, 8 * deleted]);
  expect(deleted).toBeGreaterThanOrEqual(CHANNELS.length);
  expect(left.every(({ hour_ms }) => Number(hour_ms) > LAST_HOUR_MS)).toBe(true);
  expect(await bench.store.list('')).toHaveLength(left.length * 2);
});

test('a file changed after its rows were dropped is refused by name; what needs no such file is served', async () => {
  await recordOverMidnight(bench, HOUR_MS + 60_000, ONE);
  await bench.archive();
  await bench.retain(0, 30, bench.store, ONE);
  const bad = (await archiveFiles(bench)).find(({ symbol, channel }) => symbol === 'BTCUSD-PERP' && channel === 'trade');
  await appendFile(await bench.store.get(bad?.object_key ?? ''), 'x');
  const archive = createArchiveReader(bench.store);
  const deps = { pool: bench.pool, archive };
  const window = {
    symbol: 'BTCUSD-PERP',
    startMs: LAST_HOUR_MS + 600_000,
    endMs: LAST_HOUR_MS + 1_200_000,
    asOfMs: Number.MAX_SAFE_INTEGER,
    toOrdinal: Number.MAX_SAFE_INTEGER,
  };
  const corrupt = {
    code: 'FAILED_PRECONDITION',
    reason: 'archive_corrupt',
    metadata: { symbol: 'BTCUSD-PERP', channel: 'trade', hour: '2026-01-05T23:00:00.000Z' },
  };
  await expect(readWindowRows(deps, { ...window, channels: ['book', 'trade'], afterOrdinal: 0, limit: 10 })).rejects.toMatchObject(corrupt);
  await expect(readEntries(deps, 'BTCUSD-PERP', 0, 1_000_000, 10)).rejects.toMatchObject(corrupt);
  expect(await expectedRows(deps, { ...window, channels: ['trade'] })).toEqual({ rows: 0, reasons: ['archive_unreadable'] });
  expect((await readWindowRows(deps, { ...window, channels: ['book'], afterOrdinal: 0, limit: 10 })).length).toBe(10);
  await archive.close();
});
