import { type ArchiveReader, createArchiveReader, StoreFullError, StoreUnreachableError } from '@market-state/archive';
import type { EntryId } from '@market-state/event-log';
import { silentLogger } from '@market-state/logging';
import { type Channel, CHANNELS, ROW_FLAG } from '@market-state/market-data';
import fc from 'fast-check';
import { planStoredSpan } from '../src/rpc/stored-rows';
import { type LogRow, readLogRows } from '../src/store/log-rows';
import type { RowWindow } from '../src/store/row-window';
import { readRecorded } from '../src/store/recorded';
import { settledInstant } from '../src/window/window';
import { readSourceRows } from '../src/rpc/get-source-rows';
import { expectedRows, readWindowRows, type StoredRow } from '../src/store/window-reader';
import { readEntries } from '../src/store/log-entries';
import { type ArchiveBench, createRandomMarket, HOUR_MS, startArchiveBench } from './archive-fixture';

const SYMBOL = 'BTCUSD-PERP';
const START_MS = Date.UTC(2026, 0, 5, 21, 10);
const END_MS = START_MS + 5 * HOUR_MS;
const SEED = Number(process.env['SEED'] ?? 4_711);
const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 4);

let bench: ArchiveBench;
let archive: ArchiveReader;
/** Includes duplicates. */
let log: readonly (StoredRow & { readonly hourMs: number })[];

beforeAll(async () => {
  bench = await startArchiveBench([SYMBOL]);
  archive = createArchiveReader(bench.store);
  let state = SEED;
  const random = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  await bench.record(
    createRandomMarket({ symbol: SYMBOL, startMs: START_MS, tickMs: 30_000, random, lateMsMax: 3 * HOUR_MS }).upTo(END_MS),
  );
  await bench.archive();
  await bench.owner.query('CREATE TABLE saved AS SELECT * FROM log_entry');
  await bench.owner.query('CREATE TABLE saved_file AS SELECT * FROM archive_file');
  await bench.pool.query(`INSERT INTO retention SELECT DISTINCT channel, 0, 0 FROM channel_hour`);
  const { rows } = await bench.owner.query<{
    ordinal: string;
    epoch: number;
    channel: Channel;
    exchange_ts_ms: string;
    received_ts_ms: string;
    flags: number;
    payload: Buffer;
  }>('SELECT ordinal, epoch, channel, exchange_ts_ms, received_ts_ms, flags, payload FROM saved ORDER BY ordinal');
  log = rows.map((row) => {
    const receivedTsMs = Number(row.received_ts_ms);
    return {
      ordinal: Number(row.ordinal),
      epoch: row.epoch,
      channel: row.channel,
      exchangeTsMs: Number(row.exchange_ts_ms),
      receivedTsMs,
      flags: row.flags,
      payload: row.payload,
      hourMs: Math.floor(receivedTsMs / HOUR_MS) * HOUR_MS,
    };
  });
});

afterAll(async () => {
  await archive.close();
  await bench.close();
});

/** Moves the start of each channel's hot rows; unarchived hours stay hot. */
async function moveBorders(borders: ReadonlyMap<Channel, number>, waiting: readonly number[]): Promise<void> {
  await bench.owner.query('TRUNCATE log_entry, archive_file');
  await bench.owner.query('INSERT INTO log_entry SELECT * FROM saved');
  await bench.owner.query('INSERT INTO archive_file SELECT * FROM saved_file WHERE NOT (hour_ms = ANY($1))', [waiting]);
  for (const [channel, hotFromMs] of borders) {
    await bench.owner.query('UPDATE retention SET hot_from_ms = $2 WHERE channel = $1', [channel, hotFromMs]);
    await bench.owner.query(
      `DELETE FROM log_entry WHERE channel = $1 AND exchange_ts_ms < $2 AND EXISTS (
         SELECT FROM archive_file AS file WHERE file.symbol = log_entry.symbol AND file.channel = $1
           AND log_entry.ordinal BETWEEN file.first_ordinal AND file.last_ordinal)`,
      [channel, hotFromMs],
    );
  }
}

const time = fc.integer({ min: START_MS - 3 * HOUR_MS, max: END_MS + HOUR_MS });
const borders = fc
  .tuple(...CHANNELS.map(() => time))
  .map((times) => new Map(CHANNELS.map((channel, index) => [channel, times[index] as number])));
const lastHourMs = Math.floor(END_MS / HOUR_MS) * HOUR_MS;
const waiting = fc.subarray(
  [0, 1, 2, 3, 4].map((hours) => lastHourMs - hours * HOUR_MS),
  { maxLength: 2 },
);
const channels = fc.subarray([...CHANNELS], { minLength: 1 });

async function readPages(window: RowWindow, limit: number): Promise<StoredRow[]> {
  const rows: StoredRow[] = [];
  for (;;) {
    const page = await readWindowRows({ pool: bench.pool, archive }, { ...window, afterOrdinal: rows.at(-1)?.ordinal ?? 0, limit });
    rows.push(...page);
    if (page.length < limit) return rows;
  }
}

async function readLogPages(window: RowWindow, limit: number): Promise<Pick<StoredRow, 'ordinal' | 'payload'>[]> {
  const rows: LogRow[] = [];
  for (;;) {
    const page = await readLogRows({ pool: bench.pool, archive }, { ...window, afterOrdinal: rows.at(-1)?.ordinal ?? 0, limit });
    rows.push(...page);
    if (page.length < limit) return rows.map(({ ordinal, payload }) => ({ ordinal, payload }));
  }
}

/** Planned row counts by channel, hour and day: `trade 2026-01-05T21 2026-01-05`. */
async function plannedDays(window: RowWindow): Promise<Record<string, number>> {
  const planned = await planStoredSpan({ pool: bench.pool, archive }, window, true);
  return Object.fromEntries(planned.flatMap(({ hour, days }) => days.map(({ dayMs, rows }) => [nameOf(hour, dayMs), rows])));
}

/** Same, from rows of the log. */
function daysOf(rows: typeof log): Record<string, number> {
  const totals: Record<string, number> = {};
  for (const row of rows) {
    const name = nameOf(row, row.exchangeTsMs);
    totals[name] = (totals[name] ?? 0) + 1;
  }
  return totals;
}

function nameOf({ channel, hourMs }: { readonly channel: Channel; readonly hourMs: number }, dayMs: number): string {
  return [channel, new Date(hourMs).toISOString().slice(0, 13), new Date(dayMs).toISOString().slice(0, 10)].join(' ');
}

/** Counts and last rows per channel must equal those computed from the log. */
async function compareSourceRows({ symbol, channels: chosen, startMs, endMs, asOfMs }: RowWindow, closedBy: EntryId): Promise<void> {
  const recorded = await readRecorded(bench.pool, symbol);
  if (endMs <= (recorded.fromMs ?? 0)) return;
  const ownAfterMs = endMs - HOUR_MS;
  const found = await readSourceRows(
    { pool: bench.pool, archive, labeling: undefined, logger: silentLogger() },
    { symbol, endMs, asOfMs, closedBy, ownAfterMs, spans: chosen.map((channel) => ({ channel, startMs, rowLimit: 20 })) },
    new AbortController().signal,
  );
  for (const [index, channel] of chosen.entries()) {
    const kept = log.filter(
      (row) =>
        row.channel === channel &&
        row.exchangeTsMs >= startMs &&
        row.exchangeTsMs < endMs &&
        row.receivedTsMs <= settledInstant(recorded, asOfMs) &&
        (row.flags & ROW_FLAG.duplicate) === 0,
    );
    const inTime = kept.filter((row) => row.epoch < closedBy.epoch || (row.epoch === closedBy.epoch && row.ordinal <= closedBy.ordinal));
    const byTime = inTime.toSorted((a, b) => a.exchangeTsMs - b.exchangeTsMs || a.ordinal - b.ordinal);
    expect(found[index]).toEqual({
      inTimeTotal: inTime.length,
      inWindowTotal: inTime.filter(({ exchangeTsMs }) => exchangeTsMs > ownAfterMs).length,
      lateTotal: kept.length - inTime.length,
      rows: byTime.slice(-20).map(({ hourMs: _, ...row }) => row),
    });
  }
}

test(`for any archive border, paged reads, counts and plans of a window equal those over hot rows only (seed ${SEED})`, async () => {
  let archived = 0;
  const property = fc.asyncProperty(
    borders,
    waiting,
    channels,
    time,
    time,
    time,
    fc.nat(),
    fc.integer({ min: 20, max: 900 }),
    async (from, left, chosen, one, other, asOfMs, place, limit) => {
      await moveBorders(from, left);
      const { rows: hot } = await bench.pool.query<{ total: number }>('SELECT count(*)::int AS total FROM log_entry');
      archived += log.length - (hot[0]?.total ?? 0);
      const toOrdinal = log[place % log.length]?.ordinal ?? 0;
      for (const limits of [
        { asOfMs: Number.MAX_SAFE_INTEGER, toOrdinal: Number.MAX_SAFE_INTEGER },
        { asOfMs, toOrdinal },
      ]) {
        const window: RowWindow = {
          symbol: SYMBOL,
          channels: chosen,
          startMs: Math.min(one, other),
          endMs: Math.max(one, other),
          ...limits,
        };
        const wanted = log.filter(
          (row) =>
            chosen.includes(row.channel) &&
            row.exchangeTsMs >= window.startMs &&
            row.exchangeTsMs < window.endMs &&
            row.receivedTsMs <= window.asOfMs &&
            row.ordinal <= window.toOrdinal &&
            (row.flags & ROW_FLAG.duplicate) === 0,
        );
        expect(await readPages(window, limit)).toEqual(wanted.map(({ hourMs: _, ...row }) => row));
        expect(await expectedRows({ pool: bench.pool, archive }, window)).toEqual({ rows: wanted.length, reasons: [] });
        expect(await plannedDays(window)).toEqual(daysOf(wanted));
        expect(await readLogPages(window, limit)).toEqual(wanted.map(({ ordinal, payload }) => ({ ordinal, payload })));
        await compareSourceRows(window, log[(place * 7) % log.length] ?? { epoch: 0, ordinal: 0 });
      }
    },
  );
  await fc.assert(property, { seed: SEED, numRuns: RUNS });
  expect(archived).toBeGreaterThan(log.length);
});

test(`for any archive border, log reads return every entry, including duplicates (seed ${SEED})`, async () => {
  const property = fc.asyncProperty(borders, waiting, fc.nat(), fc.integer({ min: 1, max: 2_000 }), async (from, left, place, count) => {
    await moveBorders(from, left);
    const after = log[place % log.length]?.ordinal ?? 0;
    const entries = await readEntries({ pool: bench.pool, archive }, SYMBOL, after, Number.MAX_SAFE_INTEGER, count);
    expect(entries).toEqual(
      log
        .filter(({ ordinal }) => ordinal > after)
        .slice(0, count)
        .map(({ ordinal, epoch, payload }) => ({ ordinal, epoch, payload, contradictsItself: false })),
    );
  });
  await fc.assert(property, { seed: SEED, numRuns: RUNS });
  expect(log.some(({ flags }) => (flags & ROW_FLAG.duplicate) !== 0)).toBe(true);
  expect(log.some(({ flags }) => (flags & ROW_FLAG.late) !== 0)).toBe(true);
});

test.each([
  new StoreUnreachableError('no answer in time'),
  new StoreFullError('no room for a copy'),
  Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' }),
])('an archive that cannot be read now is out of reach, not damaged: $message', async (failure) => {
  await moveBorders(new Map(CHANNELS.map((channel) => [channel, lastHourMs])), []);
  const reader = createArchiveReader({ ...bench.store, get: () => Promise.reject(failure) });
  const deps = { pool: bench.pool, archive: reader };
  const all = { asOfMs: Number.MAX_SAFE_INTEGER, toOrdinal: Number.MAX_SAFE_INTEGER };
  const window: RowWindow = { symbol: SYMBOL, channels: CHANNELS, startMs: START_MS + HOUR_MS / 2, endMs: END_MS, ...all };
  const outOfReach = { code: 'UNAVAILABLE', reason: 'upstream_unavailable' };
  await expect(readWindowRows(deps, { ...window, afterOrdinal: 0, limit: 10 })).rejects.toMatchObject(outOfReach);
  await expect(expectedRows(deps, window)).rejects.toMatchObject(outOfReach);
  await expect(readEntries(deps, SYMBOL, 0, Number.MAX_SAFE_INTEGER, 10)).rejects.toMatchObject(outOfReach);
  await reader.close();
});

test('a window of more hours than are looked up at once is counted whole', async () => {
  const [symbol, hours] = ['LONGUSD-PERP', 333];
  await bench.pool.query(
    `INSERT INTO channel_hour (symbol, channel, hour_ms, row_total, duplicate_total, payload_bytes, first_ordinal, last_ordinal,
      min_exchange_ms, max_exchange_ms)
     SELECT $1, channel, hour * ${HOUR_MS}::bigint, hour, 0, 1, hour * 1000, hour * 1000 + 900, hour * ${HOUR_MS}::bigint,
       hour * ${HOUR_MS}::bigint + 1
     FROM generate_series(1, $2::int) AS hour, unnest($3::text[]) AS channel`,
    [symbol, hours, CHANNELS],
  );
  const window: RowWindow = {
    symbol,
    channels: CHANNELS,
    startMs: 0,
    endMs: (hours + 1) * HOUR_MS,
    asOfMs: Number.MAX_SAFE_INTEGER,
    toOrdinal: Number.MAX_SAFE_INTEGER,
  };
  expect(await expectedRows({ pool: bench.pool, archive }, window)).toEqual({
    rows: (CHANNELS.length * hours * (hours + 1)) / 2,
    reasons: [],
  });
  expect(await planStoredSpan({ pool: bench.pool, archive }, { ...window, channels: ['trade'] }, false)).toHaveLength(hours);
});
