import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFolderStore, type ObjectStore } from '@market-state/archive';
import { marketData } from '@market-state/contracts';
import { type Channel, decodeEvent, encodeEvent, type FeedStatus, ROW_FLAG } from '@market-state/market-data';
import { waitUntil } from '@market-state/testing';
import { createRandomMarket, DAY_MS, HOUR_MS, type RandomMarket, randomOf } from './archive-fixture';
import { SYMBOL } from './log-fixture';
import { replaceByOldFile } from './old-file';
import { failureOf, faultsOf, startDataPlaneSystem, type System } from './rpc-harness';

const MIDNIGHT_MS = Date.UTC(2026, 0, 6);
const START_MS = MIDNIGHT_MS - HOUR_MS - 600_000;
const END_MS = MIDNIGHT_MS + HOUR_MS + 60_000;
const HOURS = [-2, -1, 0, 1].map((hours) => MIDNIGHT_MS + hours * HOUR_MS);

let folder: string;
let store: ObjectStore;
let system: System;
let market: RandomMarket;
/** Trade rows before archiving, including duplicates. */
let trades: readonly marketData.LogRow[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stored-rows-'));
  store = createFolderStore(folder);
  system = await startDataPlaneSystem({ ARCHIVE_URL: folder, HOT_DAYS: '0' });
  market = createRandomMarket({ symbol: SYMBOL, startMs: START_MS, tickMs: 7_500, random: randomOf(99), lateMsMax: 60_000 });
  // The previous day stays until the hour after midnight, with its last rows, is over.
  await play(MIDNIGHT_MS + HOUR_MS - 5_000);
  const before = await hotTrades();
  await play(END_MS);
  const byOrdinal = new Map([...before, ...(await hotTrades())].map((row) => [row.ordinal, row]));
  trades = [...byOrdinal.values()].sort((one, other) => one.ordinal - other.ordinal);
  await waitUntil('the day before archived and dropped, the hours after it archived', async () => {
    const { rows } = await system.pool.query<{ hot_from_ms: string }>('SELECT hot_from_ms FROM retention');
    const isDropped = rows.length === 5 && rows.every(({ hot_from_ms }) => Number(hot_from_ms) === MIDNIGHT_MS);
    return isDropped && (await fileOf('trade', MIDNIGHT_MS)) !== undefined;
  });
});

afterAll(async () => {
  await system.close();
  await rm(folder, { recursive: true, force: true });
});

async function play(feedClockMs: number): Promise<void> {
  const entries = market.upTo(feedClockMs);
  await system.log.append(SYMBOL, entries);
  await waitUntil('recorded', async () => {
    const { rows } = await system.pool.query<{ ordinal: string }>('SELECT ordinal FROM consumer_position');
    return Number(rows[0]?.ordinal ?? 0) >= (entries.at(-1)?.ordinal ?? 0);
  });
}

/** Appends a feed status and waits until it is served. */
async function playStatus(status: FeedStatus): Promise<void> {
  const { toOrdinal } = await plan();
  const atMs = END_MS + 5_000;
  const envelope = { venue: 'binance-coinm', symbol: SYMBOL, pass: 1, venueId: '', exchangeTsMs: atMs, receivedTsMs: atMs, epoch: 1_000 };
  const ordinal = toOrdinal + 1;
  const payload = encodeEvent({ kind: 'feed_status', ...envelope, exchangeTsIsReceiveTime: false, ordinal, status });
  await system.log.append(SYMBOL, [{ ordinal, epoch: envelope.epoch, payload }]);
  await waitUntil('served', async () => {
    const { instruments } = await system.call.listInstruments({});
    return instruments[0]?.channels.length === 2;
  });
}

async function hotTrades(): Promise<marketData.LogRow[]> {
  const { rows } = await system.pool.query<marketData.LogRow>(
    `SELECT ordinal::float8 AS ordinal, epoch, pass, coalesce(venue_id, '') AS "venueId", exchange_ts_ms::float8 AS "exchangeTsMs",
       received_ts_ms::float8 AS "receivedTsMs", flags, payload FROM log_entry WHERE channel = 'trade'`,
  );
  return rows;
}

function planRequest(request: Partial<marketData.PlanSpanRequest> = {}): marketData.PlanSpanRequest {
  const span = { startMs: START_MS - HOUR_MS, endMs: END_MS + HOUR_MS };
  return { symbol: SYMBOL, channel: marketData.Channel.TRADE, ...span, asOfMs: 0, countRows: false, ...request };
}

function plan(request: Partial<marketData.PlanSpanRequest> = {}): Promise<marketData.PlanSpanResponse> {
  return system.call.planSpan(planRequest(request));
}

async function streamed(request: Partial<marketData.StreamStoredRowsRequest> = {}): Promise<marketData.LogRow[][]> {
  const { symbol, channel, startMs, endMs, asOfMs } = planRequest();
  const messages: marketData.LogRow[][] = [];
  const requested = { symbol, channel, startMs, endMs, asOfMs, afterOrdinal: 0, toOrdinal: Number.MAX_SAFE_INTEGER, ...request };
  for await (const { rows } of system.call.streamStoredRows(requested)) messages.push(rows);
  return messages;
}

/** Expected rows of a span. */
function rowsOf({ startMs, endMs, asOfMs }: Pick<marketData.PlanSpanRequest, 'startMs' | 'endMs' | 'asOfMs'>): marketData.LogRow[] {
  return trades.filter(
    (row) =>
      row.exchangeTsMs >= startMs && row.exchangeTsMs < endMs && row.receivedTsMs <= asOfMs && (row.flags & ROW_FLAG.duplicate) === 0,
  );
}

function countsOf(rows: readonly marketData.LogRow[], lengthMs: number, timeOf: (row: marketData.LogRow) => number) {
  const starts = rows.map((row) => Math.floor(timeOf(row) / lengthMs) * lengthMs);
  return [...new Set(starts)].map((startMs) => [startMs, starts.filter((other) => other === startMs).length]);
}

async function fileOf(channel: Channel, hourMs: number) {
  const { rows } = await system.pool.query<{ objectKey: string; sha256: string; bytes: number }>(
    `SELECT object_key AS "objectKey", sha256, byte_total::float8 AS bytes FROM archive_file WHERE channel = $1 AND hour_ms = $2`,
    [channel, hourMs],
  );
  return rows[0];
}

test('a plan names the file of every archived hour, hot or not, and the last instant that all is recorded of', async () => {
  const { hours, ...rest } = await plan();
  const { rows } = await system.pool.query<{ ordinal: string }>('SELECT ordinal FROM consumer_position');
  const firstBook = await system.pool.query<{ ms: string }>(`SELECT min(min_exchange_ms) AS ms FROM channel_hour WHERE channel = 'book'`);
  expect(rest).toEqual({
    venue: 'binance-coinm',
    sourceKind: marketData.SourceKind.RECORDED,
    asOfMs: END_MS - 1,
    toOrdinal: Number(rows[0]?.ordinal),
    keptFromMs: Number(firstBook.rows[0]?.ms),
    reported: true,
  });
  expect(hours.map(({ hourMs }) => hourMs)).toEqual(HOURS);
  for (const [index, hour] of hours.entries()) {
    const hourRows = trades.filter(({ receivedTsMs }) => Math.floor(receivedTsMs / HOUR_MS) * HOUR_MS === hour.hourMs);
    const times = hourRows.map(({ exchangeTsMs }) => exchangeTsMs);
    expect(hour).toEqual({
      hourMs: HOURS[index],
      firstOrdinal: hourRows[0]?.ordinal,
      lastOrdinal: hourRows.at(-1)?.ordinal,
      rowTotal: hourRows.filter(({ flags }) => (flags & ROW_FLAG.duplicate) === 0).length,
      minExchangeMs: Math.min(...times),
      maxExchangeMs: Math.max(...times),
      file: index === 3 ? undefined : await fileOf('trade', hour.hourMs),
      days: [],
    });
  }
  const hot = await system.pool.query('SELECT 1 FROM log_entry WHERE exchange_ts_ms < $1', [MIDNIGHT_MS]);
  expect(hot.rows).toEqual([]);
  expect(hours[2]?.file).toBeDefined();
});

test.each([
  ['all of it', planRequest()],
  ['as of an instant in the middle of an archived hour', planRequest({ asOfMs: MIDNIGHT_MS - 1_800_000 })],
  ['as of an instant in the middle of a hot hour', planRequest({ asOfMs: MIDNIGHT_MS + 1_800_000 })],
  ['a span that cuts an archived hour and a hot one', planRequest({ startMs: MIDNIGHT_MS - 2_000_000, endMs: MIDNIGHT_MS + 2_000_000 })],
  ['a span that ends at midnight', planRequest({ endMs: MIDNIGHT_MS })],
  ['an instant after the last tick', planRequest({ asOfMs: END_MS + DAY_MS })],
])('rows of %s are counted by hour and day, and come as they were recorded', async (_name, request) => {
  const { hours, asOfMs, toOrdinal } = await plan({ ...request, countRows: true });
  expect(asOfMs).toBe(request.asOfMs === 0 ? END_MS - 1 : Math.min(request.asOfMs, END_MS - 1));
  const wanted = rowsOf({ ...request, asOfMs });
  const byHour = countsOf(wanted, HOUR_MS, ({ receivedTsMs }) => receivedTsMs);
  expect(hours.map(({ hourMs, days }) => [hourMs, days.reduce((sum, { rows }) => sum + rows, 0)])).toEqual(byHour);
  const days = new Map<number, number>();
  for (const day of hours.flatMap((hour) => hour.days)) days.set(day.dayMs, (days.get(day.dayMs) ?? 0) + day.rows);
  expect([...days]).toEqual(countsOf(wanted, DAY_MS, ({ exchangeTsMs }) => exchangeTsMs).sort(([one = 0], [other = 0]) => one - other));
  const { startMs, endMs } = request;
  expect((await streamed({ startMs, endMs, asOfMs, toOrdinal })).flat()).toEqual(wanted);
});

test('a part of the log is streamed by itself, in messages of at most 1,000 rows', async () => {
  const all = (await streamed()).flat();
  const [after, last] = [all[40]?.ordinal ?? 0, all[90]?.ordinal ?? 0];
  expect((await streamed({ afterOrdinal: after, toOrdinal: last })).flat()).toEqual(all.slice(41, 91));
  const control = await streamed({ channel: marketData.Channel.CONTROL });
  expect(control.length).toBeGreaterThan(1);
  for (const message of control) expect(message.length).toBeLessThanOrEqual(1_000);
  const ordinals = control.flat().map(({ ordinal }) => ordinal);
  expect(ordinals).toEqual([...new Set(ordinals)].sort((one, other) => one - other));
  expect(control.flat().every(({ payload }) => ['tick', 'feed_status'].includes(decodeEvent(payload).kind))).toBe(true);
});

test('what was asked wrongly is said field by field', async () => {
  const wrong = { symbol: 'x', channel: marketData.Channel.UNSPECIFIED, startMs: 5, endMs: 5, asOfMs: -1 };
  const fields = ['as_of_ms', 'channel', 'end_ms', 'symbol'];
  expect(await faultsOf(plan(wrong))).toEqual(fields);
  expect(await faultsOf(streamed({ ...wrong, afterOrdinal: 7, toOrdinal: 7 }))).toEqual([...fields, 'to_ordinal']);
  expect(await faultsOf(plan({ startMs: 0, endMs: 31 * DAY_MS + 1 }))).toEqual(['end_ms']);
  expect(await failureOf(plan({ symbol: 'NONEUSD-PERP' }))).toMatchObject({ code: 'NOT_FOUND' });
  expect(await failureOf(plan({ startMs: 0, endMs: DAY_MS }))).toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'beyond_retention' });
});

test('a file from before there was the last column is verified, planned, counted and read', async () => {
  const before = (await streamed()).flat();
  const { hours: counted } = await plan({ countRows: true, endMs: MIDNIGHT_MS - 2_000_000 });
  const old = await replaceByOldFile(store, system.owner, { symbol: SYMBOL, channel: 'trade', hourMs: MIDNIGHT_MS - HOUR_MS });
  const { hours } = await plan({ countRows: true, endMs: MIDNIGHT_MS - 2_000_000 });
  expect(hours[1]?.file).toEqual(old);
  expect(hours.map(({ days }) => days)).toEqual(counted.map(({ days }) => days));
  expect((await streamed()).flat()).toEqual(before);
});

test('a damaged file is reported where rows are counted or read in it; a plan still names it', async () => {
  const file = await fileOf('book', MIDNIGHT_MS - HOUR_MS);
  await appendFile(await store.get(file?.objectKey ?? ''), 'x');
  const book = { channel: marketData.Channel.BOOK };
  const corrupt = {
    code: 'FAILED_PRECONDITION',
    reason: 'archive_corrupt',
    metadata: { symbol: SYMBOL, channel: 'book', hour: new Date(MIDNIGHT_MS - HOUR_MS).toISOString() },
  };
  expect((await plan(book)).hours[1]?.file).toEqual(file);
  expect(await failureOf(plan({ ...book, countRows: true, endMs: MIDNIGHT_MS - 2_000_000 }))).toMatchObject(corrupt);
  expect(await failureOf(streamed(book))).toMatchObject(corrupt);
});

test('a channel that the venue does not report is said to be so', async () => {
  expect(await plan({ channel: marketData.Channel.CONTROL })).toMatchObject({ reported: true });
  const status = { bookStalenessMs: 5_000, tradeStalenessMs: 60_000, contextStalenessMs: 120_000, closingLagMs: 1_000 };
  await playStatus({ type: 'connected', channels: ['book', 'trade'], sourceKind: 'recorded', ...status });
  expect(await plan({ channel: marketData.Channel.LIQUIDATION })).toMatchObject({ reported: false });
  expect(await plan()).toMatchObject({ reported: true });
});

test('hours past their archive days are in no plan, and a span that ends before the others is refused', async () => {
  const { hours } = await plan();
  await system.owner.query(`UPDATE retention SET archive_from_ms = $1 WHERE channel = 'trade'`, [MIDNIGHT_MS]);
  const kept = await plan();
  expect(kept.keptFromMs).toBe(MIDNIGHT_MS);
  expect(kept.hours).toEqual(hours.filter(({ maxExchangeMs }) => maxExchangeMs >= MIDNIGHT_MS));
  expect(kept.hours.length).toBeLessThan(hours.length);
  const beyond = { code: 'FAILED_PRECONDITION', reason: 'beyond_retention', metadata: { oldest_ms: String(MIDNIGHT_MS) } };
  expect(await failureOf(plan({ endMs: MIDNIGHT_MS }))).toMatchObject(beyond);
  expect(await failureOf(streamed({ endMs: MIDNIGHT_MS }))).toMatchObject(beyond);
});
