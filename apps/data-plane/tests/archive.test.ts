import { appendFile, readdir, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { createArchiveReader, manifestKeyOf, type ObjectStore, readManifest, RowChain } from '@market-state/archive';
import { CHANNELS, decodeEvent } from '@market-state/market-data';
import { type ArchiveBench, createRandomMarket, DAY_MS, HOUR_MS, startArchiveBench } from './archive-fixture';
import { layoutOf } from '../src/archive/archive-columns';
import { expectedRows, readWindowRows } from '../src/archive/window-reader';
import { readEntries } from '../src/store/log-entries';

const SYMBOLS = ['BTCUSD-PERP', 'ETHUSD-PERP'] as const;
const DAY_START_MS = Date.UTC(2026, 0, 5);
const LAST_HOUR_MS = DAY_START_MS + 23 * HOUR_MS;
const SEED = 20_260_105;

jest.setTimeout(90_000);

let bench: ArchiveBench;

beforeAll(async () => {
  bench = await startArchiveBench(SYMBOLS);
}, 90_000);
afterAll(() => bench.close());
beforeEach(() => bench.reset());

function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

function market(symbol: string, startMs = LAST_HOUR_MS, tickMs = 5_000) {
  return createRandomMarket({ symbol, startMs, tickMs, random: randomOf(SEED + symbol.length), lateMsMax: 900_000 });
}

/** Records both symbols from the last hour of a day to so long after midnight. */
async function recordOverMidnight(afterMs = 60_000): Promise<Map<string, string[]>> {
  const logs = new Map<string, string[]>();
  for (const symbol of SYMBOLS) {
    const entries = market(symbol).upTo(DAY_START_MS + DAY_MS + afterMs);
    logs.set(symbol, entries.map(({ payload }) => Buffer.from(payload).toString('hex')));
    await bench.record(entries);
  }
  return logs;
}

/** The same, then a few minutes around the midnight after the next. */
async function recordTwoMidnights(): Promise<void> {
  for (const symbol of SYMBOLS) {
    const one = market(symbol, DAY_START_MS + DAY_MS - 600_000);
    await bench.record(one.upTo(DAY_START_MS + DAY_MS + 600_000));
    one.skipTo(DAY_START_MS + 2 * DAY_MS - 600_000);
    await bench.record(one.upTo(DAY_START_MS + 2 * DAY_MS + HOUR_MS + 60_000));
  }
}

async function hotTotal(): Promise<number> {
  const { rows } = await bench.pool.query<{ total: number }>('SELECT count(*)::int AS total FROM log_entry');
  return rows[0]?.total ?? -1;
}

async function archiveFiles() {
  const { rows } = await bench.pool.query<{ symbol: string; channel: (typeof CHANNELS)[number]; object_key: string; sha256: string; row_total: string; rows_sha256: string; hour_ms: string }>(
    'SELECT symbol, channel, object_key, sha256, row_total, rows_sha256, hour_ms FROM archive_file ORDER BY symbol, channel, hour_ms',
  );
  return rows;
}

async function entriesOf(symbol: string): Promise<string[]> {
  const archive = createArchiveReader(bench.store);
  const entries = await readEntries({ pool: bench.pool, archive }, symbol, 0, Number.MAX_SAFE_INTEGER, 1_000_000);
  await archive.close();
  expect(entries.filter(({ contradictsItself }) => contradictsItself)).toEqual([]);
  return entries.map(({ payload }) => payload.toString('hex'));
}

function chainOf(payloads: readonly (string | Buffer)[]): string {
  const chain = new RowChain();
  for (const payload of payloads) chain.add(typeof payload === 'string' ? Buffer.from(payload, 'hex') : payload);
  return chain.hex();
}

test('one hour of two symbols: rows in the log = rows in the archive = rows read back, hash for hash', async () => {
  const logs = await recordOverMidnight();
  expect(await bench.archive()).toBe(SYMBOLS.length * CHANNELS.length);
  const files = await archiveFiles();
  const window = { startMs: DAY_START_MS - DAY_MS, endMs: DAY_START_MS + 2 * DAY_MS, asOfMs: Number.MAX_SAFE_INTEGER, toOrdinal: Number.MAX_SAFE_INTEGER, afterOrdinal: 0, limit: 1_000_000 };
  for (const symbol of SYMBOLS) {
    for (const channel of CHANNELS) {
      const log = (logs.get(symbol) ?? []).filter((hex) => {
        const event = decodeEvent(Buffer.from(hex, 'hex'));
        return event.receivedTsMs < DAY_START_MS + DAY_MS && (event.kind === 'tick' || event.kind === 'feed_status' ? 'control' : event.kind) === channel;
      });
      const file = files.find((row) => row.symbol === symbol && row.channel === channel);
      expect(log.length).toBeGreaterThan(20);
      expect(file).toMatchObject({ row_total: String(log.length), rows_sha256: chainOf(log) });
    }
  }
  const before = await Promise.all(SYMBOLS.map((symbol) => readWindowRows({ pool: bench.pool }, { ...window, symbol, channels: CHANNELS })));
  await bench.retain(0, 30);
  expect(await hotTotal()).toBeLessThan(before.flat().length / 10);
  const archive = createArchiveReader(bench.store);
  for (const [index, symbol] of SYMBOLS.entries()) {
    const after = await readWindowRows({ pool: bench.pool, archive }, { ...window, symbol, channels: CHANNELS });
    expect(after).toEqual(before[index]);
    expect(chainOf(after.map(({ payload }) => payload))).toBe(chainOf((before[index] ?? []).map(({ payload }) => payload)));
    expect(await expectedRows({ pool: bench.pool, archive }, { ...window, symbol, channels: CHANNELS })).toEqual({ rows: after.length, reasons: [] });
    expect(await entriesOf(symbol)).toEqual(logs.get(symbol));
  }
  await archive.close();
});

test('DuckDB reads the layout as documented, with typed columns that are digit for digit what the events say', async () => {
  const logs = await recordOverMidnight();
  await bench.archive();
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const connection = await (await DuckDBInstance.create()).connect();
  const ask = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson();
  const events = (logs.get('BTCUSD-PERP') ?? []).map((hex) => decodeEvent(Buffer.from(hex, 'hex'))).filter(({ receivedTsMs }) => receivedTsMs < DAY_START_MS + DAY_MS);

  const all = `read_parquet('${bench.folder}/**/*.parquet', hive_partitioning = true, union_by_name = true)`;
  expect(await ask(`SELECT count(*)::INTEGER AS total, count(DISTINCT (channel, symbol))::INTEGER AS parts, min(date)::VARCHAR AS date, min(hour)::INTEGER AS hour FROM ${all}`)).toMatchObject([
    { parts: 10, date: '2026-01-05', hour: 23 },
  ]);
  const trades = events.flatMap((event) => (event.kind === 'trade' ? [event] : []));
  expect(await ask(`SELECT ordinal::INTEGER AS o, price, size, venue_size, aggressor_side FROM read_parquet('${bench.folder}/channel=trades/symbol=BTCUSD-PERP/**/*.parquet') ORDER BY ordinal`)).toEqual(
    trades.map(({ ordinal, price, size, venueSize, aggressorSide }) => ({ o: ordinal, price, size, venue_size: venueSize ?? null, aggressor_side: aggressorSide })),
  );
  const books = events.flatMap((event) => (event.kind === 'book' ? [event] : []));
  expect(await ask(`SELECT bids, asks FROM read_parquet('${bench.folder}/channel=book/symbol=BTCUSD-PERP/**/*.parquet') ORDER BY ordinal`)).toEqual(
    books.map(({ bids, asks }) => ({ bids: bids.map(toLevel), asks: asks.map(toLevel) })),
  );
  const contexts = events.flatMap((event) => (event.kind === 'context' ? [event] : []));
  expect(await ask(`SELECT mark_price, funding_rate FROM read_parquet('${bench.folder}/channel=context/symbol=BTCUSD-PERP/**/*.parquet') ORDER BY ordinal`)).toEqual(
    contexts.map(({ markPrice, fundingRate }) => ({ mark_price: markPrice, funding_rate: fundingRate ?? null })),
  );
  expect(await ask(`SELECT type, count(*)::INTEGER AS total FROM read_parquet('${bench.folder}/channel=control/symbol=BTCUSD-PERP/**/*.parquet') WHERE type IN ('gap', 'connected') GROUP BY type ORDER BY type`)).toEqual([
    { type: 'connected', total: 1 },
    { type: 'gap', total: events.filter((event) => event.kind === 'feed_status' && event.status.type === 'gap').length },
  ]);
  connection.closeSync();
});

function toLevel({ price, size, venueSize }: { price: string; size: string; venueSize?: string }) {
  return { price, size, venue_size: venueSize ?? null };
}

test('an hour is archived once a row of a later one is recorded, not before', async () => {
  await bench.record(market('BTCUSD-PERP').upTo(DAY_START_MS + DAY_MS - 1));
  expect(await bench.archive()).toBe(0);
  await bench.reset();
  await bench.record(market('BTCUSD-PERP').upTo(DAY_START_MS + DAY_MS));
  expect(await bench.archive()).toBe(CHANNELS.length);
  expect(await bench.archive()).toBe(0);
  const [manifest] = await bench.pool.query<{ gap_ids: string[] }>(`SELECT gap_ids FROM archive_file WHERE channel = 'book'`).then(({ rows }) => rows);
  expect(manifest?.gap_ids.length).toBeGreaterThan(0);
});

let kills = 0;
let running = new AbortController();

/** Thrown where the process would have ended. */
class Killed extends Error {
  constructor() {
    super('killed');
    kills += 1;
    running.abort();
  }
}

const dangerousPoints: readonly (readonly [string, (store: ObjectStore, at: number) => ObjectStore])[] = [
  ['before a file is put', (store, at) => ({ ...store, put: onCall(at, (_key: string, _file: string) => Promise.reject(new Killed()), store.put) })],
  ['when half of a file stands in its place', (store, at) => ({ ...store, put: onCall(at, async (key, file) => { await store.put(key, file); await truncate(await store.get(key), 300); throw new Killed(); }, store.put) })],
  ['after a file was put', (store, at) => ({ ...store, put: onCall(at, async (key, file) => { await store.put(key, file); throw new Killed(); }, store.put) })],
  ['while a file is read back', (store, at) => ({ ...store, get: onCall(at, (_key: string) => Promise.reject<string>(new Killed()), store.get) })],
];

/** The n-th call goes elsewhere. */
function onCall<Args extends unknown[], Result>(at: number, fault: (...args: Args) => Promise<Result>, usual: (...args: Args) => Promise<Result>): (...args: Args) => Promise<Result> {
  let calls = 0;
  return (...args) => {
    calls += 1;
    return calls === at ? fault(...args) : usual(...args);
  };
}

test.each(dangerousPoints)('an archiver that is killed %s, at every file of an hour, loses and doubles nothing', async (_, fault) => {
  const logs = await recordOverMidnight();
  kills = 0;
  for (let at = 1; at <= 8; at += 1) {
    running = new AbortController();
    await bench.archive(fault(bench.store, at), new Map(), running.signal);
  }
  expect(kills).toBeGreaterThanOrEqual(3);
  await bench.archive();
  expect(await bench.store.list('')).toHaveLength(SYMBOLS.length * CHANNELS.length * 2);
  expect(await archiveFiles()).toHaveLength(SYMBOLS.length * CHANNELS.length);
  await bench.retain(0, 30);
  for (const symbol of SYMBOLS) expect(await entriesOf(symbol)).toEqual(logs.get(symbol));
});

test('killed between the manifest and the database, the verified file is taken as it is', async () => {
  await recordOverMidnight();
  await bench.archive();
  const [file] = await archiveFiles();
  const before = await bench.store.stat(file?.object_key ?? '');
  await bench.pool.query('DELETE FROM archive_file');
  expect(await bench.archive()).toBe(10);
  expect((await archiveFiles())[0]).toEqual(file);
  expect(await bench.store.stat(file?.object_key ?? '')).toEqual(before);
});

test.each([
  ['a row is missing', `DELETE FROM log_entry WHERE ctid = (SELECT ctid FROM log_entry_trade LIMIT 1) AND channel = 'trade'`],
  ['a row was changed', `UPDATE log_entry SET received_ts_ms = received_ts_ms + 1 WHERE symbol = 'BTCUSD-PERP' AND channel = 'trade' AND ordinal = (SELECT min(ordinal) FROM log_entry WHERE symbol = 'BTCUSD-PERP' AND channel = 'trade')`],
  ['a row was added', `INSERT INTO log_entry (symbol, channel, ordinal, epoch, pass, exchange_ts_ms, received_ts_ms, flags, payload)
     SELECT symbol, channel, ordinal, epoch, pass, exchange_ts_ms + 1, received_ts_ms, 0, payload FROM log_entry WHERE symbol = 'BTCUSD-PERP' AND channel = 'trade' ORDER BY ordinal LIMIT 1`],
])('where %s the hour stays hot and is told of; the others are archived', async (_, sql) => {
  await recordOverMidnight();
  await bench.pool.query(sql);
  const blocked = new Map<string, number>();
  expect(await bench.archive(bench.store, blocked)).toBe(9);
  expect([...blocked.keys()]).toEqual([expect.stringMatching(/^channel=trades\//)]);
  expect(await bench.metricsText()).toMatch(/archive_blocked_hours\{?[^}\n]*\}? 1/);
  await bench.retain(0, 30);
  const { rows } = await bench.pool.query<{ channel: string }>('SELECT channel FROM retention ORDER BY channel');
  expect(rows.map(({ channel }) => channel)).toEqual(['book', 'context', 'control', 'liquidation']);
  expect(await bench.metricsText()).toMatch(/archive_retention_blocked\{[^}]*channel="trade"[^}]*\} 1/);
});

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
  await recordOverMidnight();
  await bench.archive();
  const total = await hotTotal();
  for (const { object_key } of await archiveFiles()) await harm(object_key);
  await bench.retain(0, 30);
  expect(await hotTotal()).toBe(total);
  expect((await bench.pool.query('SELECT * FROM retention WHERE hot_from_ms > 0')).rows).toEqual([]);
});

test('a late row of a day that was dropped is kept, read, archived, and dropped in its turn', async () => {
  const one = market('BTCUSD-PERP');
  await bench.record(market('ETHUSD-PERP').upTo(DAY_START_MS + DAY_MS + 3 * HOUR_MS));
  const log = one.upTo(DAY_START_MS + DAY_MS);
  await bench.record(log);
  await bench.archive();
  await bench.retain(0, 30);
  for (const hour of [0, 1, 2]) {
    const more = one.upTo(DAY_START_MS + DAY_MS + hour * HOUR_MS + HOUR_MS / 4);
    log.push(...more);
    await bench.record(more);
    expect(await entriesOf('BTCUSD-PERP')).toEqual(log.map(({ payload }) => Buffer.from(payload).toString('hex')));
    await bench.archive();
    await bench.retain(0, 30);
    expect(await entriesOf('BTCUSD-PERP')).toEqual(log.map(({ payload }) => Buffer.from(payload).toString('hex')));
  }
  const late = log.map(({ payload }) => decodeEvent(payload)).filter((event) => event.receivedTsMs >= DAY_START_MS + DAY_MS && event.exchangeTsMs < DAY_START_MS + DAY_MS);
  expect(late.length).toBeGreaterThan(3);
});

test('files are deleted when all their rows are past the archive days and no longer hot, and readers are not sent to them', async () => {
  await recordTwoMidnights();
  await bench.archive();
  const before = await archiveFiles();
  await bench.retain(5, 0);
  expect(await archiveFiles()).toEqual(before);
  expect(before).toHaveLength(SYMBOLS.length * CHANNELS.length * 4);
  await bench.retain(0, 1);
  const left = await archiveFiles();
  expect(left.length).toBeLessThan(before.length);
  expect(left.every(({ hour_ms }) => Number(hour_ms) > LAST_HOUR_MS)).toBe(true);
  expect((await bench.store.list('')).filter((key) => key.endsWith('.parquet')).sort()).toEqual(left.map(({ object_key }) => object_key).sort());
  const [oldest] = await entriesOf('BTCUSD-PERP').then((entries) => entries.map((hex) => decodeEvent(Buffer.from(hex, 'hex'))));
  expect(oldest?.receivedTsMs).toBeGreaterThanOrEqual(DAY_START_MS + DAY_MS);
});

test('candles go with the trades they are of, and not before', async () => {
  await recordTwoMidnights();
  await bench.archive();
  const minutes = async (): Promise<number[]> =>
    (await bench.pool.query<{ open_ms: string }>('SELECT open_ms FROM candle_minute ORDER BY symbol, open_ms')).rows.map(({ open_ms }) => Number(open_ms));
  const before = await minutes();
  await bench.retain(5, 0);
  expect(await minutes()).toEqual(before);
  await bench.retain(0, 1);
  const { rows } = await bench.pool.query<{ from_ms: string }>(`SELECT archive_from_ms AS from_ms FROM retention WHERE channel = 'trade'`);
  const left = before.filter((openMs) => openMs >= Number(rows[0]?.from_ms));
  expect(await minutes()).toEqual(left);
  expect(left.length).toBeGreaterThan(0);
  expect(left.length).toBeLessThan(before.length);
});

test('a deletion that stops after any step is finished by the next', async () => {
  await recordTwoMidnights();
  await bench.archive();
  let deletions = 0;
  const faulty: ObjectStore = {
    ...bench.store,
    async delete(key) {
      deletions += 1;
      if (deletions % 3 === 1) throw new Killed();
      await bench.store.delete(key);
      if (deletions % 3 === 0) throw new Killed();
    },
  };
  for (let attempt = 0; attempt < 30; attempt += 1) await bench.retain(0, 1, faulty).catch(() => undefined);
  await bench.retain(0, 1);
  const left = await archiveFiles();
  expect(left.every(({ hour_ms }) => Number(hour_ms) > LAST_HOUR_MS)).toBe(true);
  expect(await bench.store.list('')).toHaveLength(left.length * 2);
});

test('a file changed after its rows were dropped is refused by name; what needs no such file is served', async () => {
  await recordOverMidnight(HOUR_MS + 60_000);
  await bench.archive();
  await bench.retain(0, 30);
  const bad = (await archiveFiles()).find(({ symbol, channel }) => symbol === 'BTCUSD-PERP' && channel === 'trade');
  await appendFile(await bench.store.get(bad?.object_key ?? ''), 'x');
  const archive = createArchiveReader(bench.store);
  const deps = { pool: bench.pool, archive };
  const window = { symbol: 'BTCUSD-PERP', startMs: LAST_HOUR_MS + 600_000, endMs: LAST_HOUR_MS + 1_200_000, asOfMs: Number.MAX_SAFE_INTEGER, toOrdinal: Number.MAX_SAFE_INTEGER };
  const corrupt = { code: 'FAILED_PRECONDITION', reason: 'archive_corrupt', metadata: { symbol: 'BTCUSD-PERP', channel: 'trade', hour: '2026-01-05T23:00:00.000Z' } };
  await expect(readWindowRows(deps, { ...window, channels: ['book', 'trade'], afterOrdinal: 0, limit: 10 })).rejects.toMatchObject(corrupt);
  await expect(readEntries(deps, 'BTCUSD-PERP', 0, 1_000_000, 10)).rejects.toMatchObject(corrupt);
  expect(await expectedRows(deps, { ...window, channels: ['trade'] })).toEqual({ rows: 0, reasons: ['archive_unreadable'] });
  expect((await readWindowRows(deps, { ...window, channels: ['book'], afterOrdinal: 0, limit: 10 })).length).toBe(10);
  await archive.close();
});

test('every channel has a layout whose columns are told in its manifest', async () => {
  await recordOverMidnight();
  await bench.archive();
  for (const { channel, object_key } of await archiveFiles()) {
    const manifest = await readManifest(bench.store, object_key);
    expect(manifest?.schema.map(({ name }) => name)).toEqual(layoutOf(channel).columns.map(({ name }) => name));
    expect(await bench.store.stat(manifestKeyOf(object_key))).toBeDefined();
  }
  expect((await readdir(join(bench.folder, '.scratch'))).length).toBe(0);
  await rm(join(bench.folder, '.scratch'), { recursive: true });
});

test('the last hour of a symbol that is no longer served is archived once the others are two hours past it', async () => {
  const [served, retired] = SYMBOLS;
  await bench.record(market(retired, LAST_HOUR_MS, 60_000).upTo(LAST_HOUR_MS + 600_000));
  const goesOn = market(served, LAST_HOUR_MS, 60_000);
  const filesOfRetired = async () => (await archiveFiles()).filter(({ symbol }) => symbol === retired).length;
  const archive = () => bench.archive(bench.store, new Map(), new AbortController().signal, [served]);

  await bench.record(goesOn.upTo(LAST_HOUR_MS + 2 * HOUR_MS + 60_000));
  await archive();
  await expect(filesOfRetired()).resolves.toBe(0);
  await bench.record(goesOn.upTo(LAST_HOUR_MS + 3 * HOUR_MS + 60_000));
  await archive();
  await expect(filesOfRetired()).resolves.toBeGreaterThan(2);
});
