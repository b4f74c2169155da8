import { readFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createArchiveReader, manifestKeyOf, readManifest } from '@market-state/archive';
import { archiveLayoutOf, CHANNELS, decodeEvent } from '@market-state/market-data';
import { blocksOf } from '@market-state/testing';
import { type ArchiveBench, DAY_MS, HOUR_MS, startArchiveBench } from './archive-fixture';
import {
  archiveFiles,
  chainOf,
  DAY_START_MS,
  entriesOf,
  hotTotal,
  LAST_HOUR_MS,
  market,
  ONE,
  recordOverMidnight,
  SYMBOLS,
} from './recorded-midnights';
import { expectedRows, readWindowRows } from '../src/store/window-reader';

let bench: ArchiveBench;

beforeAll(async () => {
  bench = await startArchiveBench(SYMBOLS);
});
afterAll(() => bench.close());

describe('an archived hour of two symbols', () => {
  let logs: Map<string, string[]>;
  let archivedTotal: number;
  beforeAll(async () => {
    await bench.reset();
    logs = await recordOverMidnight(bench);
    archivedTotal = await bench.archive();
  });

  test('DuckDB reads the layout as documented, with typed columns that are digit for digit what the events say', async () => {
    const { DuckDBInstance } = await import('@duckdb/node-api');
    const connection = await (await DuckDBInstance.create()).connect();
    const ask = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson();
    const events = (logs.get('BTCUSD-PERP') ?? [])
      .map((hex) => decodeEvent(Buffer.from(hex, 'hex')))
      .filter(({ receivedTsMs }) => receivedTsMs < DAY_START_MS + DAY_MS);

    const all = `read_parquet('${bench.folder}/**/*.parquet', hive_partitioning = true, union_by_name = true)`;
    expect(
      await ask(
        `SELECT count(*)::INTEGER AS total, count(DISTINCT (channel, symbol))::INTEGER AS parts, min(date)::VARCHAR AS date,
          min(hour)::INTEGER AS hour FROM ${all}`,
      ),
    ).toMatchObject([{ parts: 10, date: '2026-01-05', hour: 23 }]);
    const trades = events.flatMap((event) => (event.kind === 'trade' ? [event] : []));
    expect(
      await ask(
        `SELECT ordinal::INTEGER AS o, price, size, venue_size, aggressor_side
          FROM read_parquet('${bench.folder}/channel=trades/symbol=BTCUSD-PERP/**/*.parquet') ORDER BY ordinal`,
      ),
    ).toEqual(
      trades.map(({ ordinal, price, size, venueSize, aggressorSide }) => ({
        o: ordinal,
        price,
        size,
        venue_size: venueSize ?? null,
        aggressor_side: aggressorSide,
      })),
    );
    const [printed] = blocksOf(readFileSync(join(import.meta.dirname, '../../../docs/data-plane/archive.md'), 'utf8')).filter(
      ({ language }) => language === 'sql',
    );
    const sizes = [...new Map(trades.map(({ pass, venueId, size }) => [`${pass}:${venueId}`, Number(size)])).values()];
    const [hour, ...others] = await ask((printed?.code ?? '').replace('<archive>', bench.folder));
    expect(others).toEqual([]);
    expect(Number(hour?.['trades'])).toBe(sizes.length);
    expect(Number(hour?.['volume'])).toBeCloseTo(sizes.reduce((sum, size) => sum + size, 0));
    const books = events.flatMap((event) => (event.kind === 'book' ? [event] : []));
    expect(
      await ask(`SELECT bids, asks FROM read_parquet('${bench.folder}/channel=book/symbol=BTCUSD-PERP/**/*.parquet') ORDER BY ordinal`),
    ).toEqual(books.map(({ bids, asks }) => ({ bids: bids.map(toLevel), asks: asks.map(toLevel) })));
    const contexts = events.flatMap((event) => (event.kind === 'context' ? [event] : []));
    expect(
      await ask(
        `SELECT mark_price, funding_rate FROM read_parquet('${bench.folder}/channel=context/symbol=BTCUSD-PERP/**/*.parquet')
          ORDER BY ordinal`,
      ),
    ).toEqual(contexts.map(({ markPrice, fundingRate }) => ({ mark_price: markPrice, funding_rate: fundingRate ?? null })));
    const clocks = `SELECT channel, bool_and(exchange_ts_is_receive_time) AS every, bool_or(exchange_ts_is_receive_time) AS some_are FROM ${all}`;
    expect(await ask(`${clocks} GROUP BY channel ORDER BY channel`)).toEqual(
      ['book', 'context', 'control', 'liquidations', 'trades'].map((channel) => ({
        channel,
        every: channel === 'context',
        some_are: channel === 'context',
      })),
    );
    expect(
      await ask(
        `SELECT type, count(*)::INTEGER AS total FROM read_parquet('${bench.folder}/channel=control/symbol=BTCUSD-PERP/**/*.parquet')
          WHERE type IN ('gap', 'connected') GROUP BY type ORDER BY type`,
      ),
    ).toEqual([
      { type: 'connected', total: 1 },
      { type: 'gap', total: events.filter((event) => event.kind === 'feed_status' && event.status.type === 'gap').length },
    ]);
    connection.closeSync();
  });

  test('every channel has a layout whose columns are listed in its manifest', async () => {
    for (const { channel, object_key } of await archiveFiles(bench)) {
      const manifest = await readManifest(bench.store, object_key);
      expect(manifest?.schema.map(({ name }) => name)).toEqual(archiveLayoutOf(channel).columns.map(({ name }) => name));
      expect(await bench.store.stat(manifestKeyOf(object_key))).toBeDefined();
    }
    expect((await readdir(join(bench.folder, '.scratch'))).length).toBe(0);
    await rm(join(bench.folder, '.scratch'), { recursive: true });
  });

  test('killed between the manifest and the database, the verified file is taken as it is', async () => {
    const [file] = await archiveFiles(bench);
    const before = await bench.store.stat(file?.object_key ?? '');
    await bench.pool.query('DELETE FROM archive_file');
    expect(await bench.archive()).toBe(10);
    expect((await archiveFiles(bench))[0]).toEqual(file);
    expect(await bench.store.stat(file?.object_key ?? '')).toEqual(before);
  });

  test('one hour of two symbols: rows in the log = rows in the archive = rows read back, hash for hash', async () => {
    expect(archivedTotal).toBe(SYMBOLS.length * CHANNELS.length);
    const files = await archiveFiles(bench);
    const window = {
      startMs: DAY_START_MS - DAY_MS,
      endMs: DAY_START_MS + 2 * DAY_MS,
      asOfMs: Number.MAX_SAFE_INTEGER,
      toOrdinal: Number.MAX_SAFE_INTEGER,
      afterOrdinal: 0,
      limit: 1_000_000,
    };
    for (const symbol of SYMBOLS) {
      for (const channel of CHANNELS) {
        const log = (logs.get(symbol) ?? []).filter((hex) => {
          const event = decodeEvent(Buffer.from(hex, 'hex'));
          return (
            event.receivedTsMs < DAY_START_MS + DAY_MS &&
            (event.kind === 'tick' || event.kind === 'feed_status' ? 'control' : event.kind) === channel
          );
        });
        const file = files.find((row) => row.symbol === symbol && row.channel === channel);
        expect(log.length).toBeGreaterThan(20);
        expect(file).toMatchObject({ row_total: String(log.length), rows_sha256: chainOf(log) });
      }
    }
    const before = await Promise.all(
      SYMBOLS.map((symbol) => readWindowRows({ pool: bench.pool }, { ...window, symbol, channels: CHANNELS })),
    );
    await bench.retain(0, 30);
    expect(await hotTotal(bench)).toBeLessThan(before.flat().length / 10);
    const archive = createArchiveReader(bench.store);
    for (const [index, symbol] of SYMBOLS.entries()) {
      const after = await readWindowRows({ pool: bench.pool, archive }, { ...window, symbol, channels: CHANNELS });
      expect(after).toEqual(before[index]);
      expect(chainOf(after.map(({ payload }) => payload))).toBe(chainOf((before[index] ?? []).map(({ payload }) => payload)));
      expect(await expectedRows({ pool: bench.pool, archive }, { ...window, symbol, channels: CHANNELS })).toEqual({
        rows: after.length,
        reasons: [],
      });
      expect(await entriesOf(bench, symbol)).toEqual(logs.get(symbol));
    }
    await archive.close();
  });
});

function toLevel({ price, size, venueSize }: { price: string; size: string; venueSize?: string }) {
  return { price, size, venue_size: venueSize ?? null };
}

test('an hour is archived once a row of a later one is recorded, not before', async () => {
  await bench.reset();
  await bench.record(market('BTCUSD-PERP').upTo(DAY_START_MS + DAY_MS - 1));
  expect(await bench.archive()).toBe(0);
  await bench.reset();
  await bench.record(market('BTCUSD-PERP').upTo(DAY_START_MS + DAY_MS));
  expect(await bench.archive()).toBe(CHANNELS.length);
  expect(await bench.archive()).toBe(0);
  const { rows } = await bench.pool.query<{ gap_ids: string[] }>(`SELECT gap_ids FROM archive_file WHERE channel = 'book'`);
  expect(rows[0]?.gap_ids.length).toBeGreaterThan(0);
});

test.each([
  ['a row is missing', `DELETE FROM log_entry WHERE ctid = (SELECT ctid FROM log_entry_trade LIMIT 1) AND channel = 'trade'`],
  [
    'a row was changed',
    `UPDATE log_entry SET received_ts_ms = received_ts_ms + 1 WHERE symbol = 'BTCUSD-PERP' AND channel = 'trade'
      AND ordinal = (SELECT min(ordinal) FROM log_entry WHERE symbol = 'BTCUSD-PERP' AND channel = 'trade')`,
  ],
  [
    'a row was added',
    `INSERT INTO log_entry (symbol, channel, ordinal, epoch, pass, exchange_ts_ms, received_ts_ms, flags, payload)
     SELECT symbol, channel, ordinal, epoch, pass, exchange_ts_ms + 1, received_ts_ms, 0, payload FROM log_entry
       WHERE symbol = 'BTCUSD-PERP' AND channel = 'trade' ORDER BY ordinal LIMIT 1`,
  ],
])('if %s, the hour stays hot and is reported; the others are archived', async (_, sql) => {
  await bench.reset();
  await recordOverMidnight(bench, 60_000, ONE);
  await bench.owner.query(sql);
  const blocked = new Map<string, number>();
  expect(await bench.archive(bench.store, blocked)).toBe(CHANNELS.length - 1);
  expect([...blocked.keys()]).toEqual([expect.stringMatching(/^channel=trades\//)]);
  expect(await bench.metricsText()).toMatch(/archive_blocked_hours\{?[^}\n]*\}? 1/);
  await bench.retain(0, 30, bench.store, ONE);
  const { rows } = await bench.pool.query<{ channel: string }>('SELECT channel FROM retention ORDER BY channel');
  expect(rows.map(({ channel }) => channel)).toEqual(['book', 'context', 'control', 'liquidation']);
  expect(await bench.metricsText()).toMatch(/archive_retention_blocked\{[^}]*channel="trade"[^}]*\} 1/);
});

test('the last hour of a symbol that is no longer served is archived once the others are two hours past it', async () => {
  await bench.reset();
  const [served, retired] = SYMBOLS;
  await bench.record(market(retired, LAST_HOUR_MS, 60_000).upTo(LAST_HOUR_MS + 600_000));
  const goesOn = market(served, LAST_HOUR_MS, 60_000);
  const filesOfRetired = async () => (await archiveFiles(bench)).filter(({ symbol }) => symbol === retired).length;
  const archive = () => bench.archive(bench.store, new Map(), new AbortController().signal, [served]);

  await bench.record(goesOn.upTo(LAST_HOUR_MS + 2 * HOUR_MS + 60_000));
  await archive();
  await expect(filesOfRetired()).resolves.toBe(0);
  await bench.record(goesOn.upTo(LAST_HOUR_MS + 3 * HOUR_MS + 60_000));
  await archive();
  await expect(filesOfRetired()).resolves.toBeGreaterThan(2);
});
