import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEventLog } from '@market-state/event-log';
import { silentLogger } from '@market-state/logging';
import { channelOf, encodeEvent, type MarketEvent } from '@market-state/market-data';
import { createPool } from '@market-state/postgres';
import { startStores, testRpcVariables, type TestStores, waitUntil } from '@market-state/testing';
import type { Pool } from 'pg';
import { readRecorderConfig } from '../src/config';
import { startRecorder } from '../src/recorder/start-recorder';
import { LogFixture, START_MS, SYMBOL } from './log-fixture';

const MIGRATIONS = join(import.meta.dirname, '..', 'prisma', 'migrations');
const OLD_LAYOUT = ['0001_feed_state', '0002_log_rows'];

function script(name: string): string {
  return readFileSync(join(MIGRATIONS, name, 'migration.sql'), 'utf8');
}

/** Seam, gap and resync, late and skewed trades, across midnight. */
function recordedLog(): LogFixture {
  const log = new LogFixture().connected(START_MS);
  for (let step = 1; step <= 800; step += 1) {
    const atMs = START_MS + step * 250;
    log.book(atMs - 20, `${10_000 + step}`, '100.1', '100.2');
    log.trade(atMs - 10, `${step}`, `${100 + (step % 9)}.5`, '0.0123456789');
    if (step % 50 === 0) log.trade(atMs - 10, `9${step}`, '99.25', '0.5');
    if (step === 400) log.trade(atMs - 30_000, '7000', '98', '2');
    log.tick(atMs);
  }
  return log
    .status(START_MS + 200_500, {
      type: 'gap',
      gapId: 'gap_one',
      channel: 'book',
      startMs: START_MS + 199_980,
      endMs: 0,
      reason: 'sequence_gap',
    })
    .trade(START_MS + 200_600, '8001', '101', '1')
    .status(START_MS + 201_000, {
      type: 'resynced',
      gapId: 'gap_one',
      channel: 'book',
      startMs: START_MS + 199_980,
      endMs: START_MS + 200_900,
    })
    .book(START_MS + 201_010, '20000', '100.1', '100.2')
    .tick(START_MS + 201_250);
}

/** In the format from before rows had flags. */
async function writeOldRows(pool: Pool, events: readonly MarketEvent[]): Promise<void> {
  for (const day of [20260105, 20260106]) {
    const fromMs = Date.UTC(2026, 0, day % 100);
    await pool.query(`CREATE TABLE log_entry_${day} PARTITION OF log_entry FOR VALUES FROM (${fromMs}) TO (${fromMs + 86_400_000})`);
  }
  for (const event of events) {
    const trade = event.kind === 'trade' ? event : undefined;
    const { symbol, ordinal, epoch, pass, venueId, exchangeTsMs, receivedTsMs } = event;
    await pool.query('INSERT INTO log_entry VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)', [
      symbol,
      ordinal,
      epoch,
      channelOf(event),
      pass,
      venueId,
      exchangeTsMs,
      receivedTsMs,
      Buffer.from(encodeEvent(event)),
      trade?.price,
      trade?.size,
      trade?.venueSize,
      trade?.aggressorSide,
    ]);
  }
  await pool.query(`INSERT INTO gap VALUES ('gap_one', $1, 'book', $2, $3, 'sequence_gap', 'resynced')`, [
    SYMBOL,
    START_MS + 199_980,
    START_MS + 200_900,
  ]);
}

const TABLES = {
  rows: `SELECT symbol, ordinal, epoch, channel, pass, venue_id, exchange_ts_ms, received_ts_ms, flags,
    encode(payload, 'hex') AS payload, price, size, venue_size, aggressor_side,
    tableoid::regclass::text AS partition FROM log_entry ORDER BY ordinal`,
  hours: 'SELECT * FROM channel_hour ORDER BY symbol, channel, hour_ms',
  tellings: 'SELECT * FROM gap_telling ORDER BY gap_id, told_ms',
  candles: `SELECT symbol, open_ms, open, high, low, close, trim_scale(volume) AS volume, trim_scale(notional) AS notional, trade_total,
    open_key, close_key
    FROM candle_minute ORDER BY open_ms`,
};

async function contentOf(pool: Pool): Promise<Record<string, unknown[]>> {
  const content: Record<string, unknown[]> = {};
  for (const [name, query] of Object.entries(TABLES)) content[name] = (await pool.query(query)).rows;
  return content;
}

describe('rows of the layout before', () => {
  let stores: TestStores;
  beforeEach(async () => {
    stores = await startStores({ services: ['data_plane'] });
  });
  afterEach(() => stores.stop());

  async function migrated(events: readonly MarketEvent[]): Promise<Pool> {
    const pool = createPool({ url: await stores.emptyDatabaseUrl(), logger: silentLogger(), applicationName: 'test' });
    for (const name of OLD_LAYOUT) await pool.query(script(name));
    await writeOldRows(pool, events);
    await pool.query(script('0003_rows_and_archive'));
    await pool.query(script('0004_gap_tellings'));
    return pool;
  }

  test('are carried over as the recorder would write them now', async () => {
    const fixture = recordedLog();
    const pool = await migrated(fixture.events);
    const log = createEventLog(stores.redisUrl, { logger: silentLogger() });
    const fresh = createPool({ url: stores.postgresUrl('data_plane'), logger: silentLogger(), applicationName: 'test' });
    await fresh.query(`INSERT INTO served_instrument VALUES ($1, 'recording', 'binance-coinm', 'BTCUSD_PERP', 100, 'recorded')`, [SYMBOL]);
    await log.append(SYMBOL, fixture.take());
    const env = {
      ...testRpcVariables('data-plane-recorder'),
      DATABASE_URL: stores.postgresUrl('data_plane'),
      REDIS_URL: stores.redisUrl,
      SYMBOLS: SYMBOL,
      LOG_LEVEL: 'silent',
      SHUTDOWN_WAIT_MS: '0',
    };
    const recorder = await startRecorder(readRecorderConfig(env));
    await waitUntil(
      'recorded',
      async () => (await fresh.query(`SELECT FROM log_entry WHERE ordinal = ${fixture.events.length}`)).rowCount === 1,
    );
    await recorder.close();
    const carried = await contentOf(pool);
    expect(carried.rows).toHaveLength(fixture.events.length);
    expect(carried).toEqual(await contentOf(fresh));
    const flagged = carried.rows?.filter((row) => (row as { flags: number }).flags !== 0) ?? [];
    expect(flagged).toMatchObject([
      { channel: 'book', flags: 1 },
      { channel: 'trade', venue_id: '7000', flags: 6 },
      { channel: 'book', venue_id: '20000', flags: 9 },
    ]);
    expect((await pool.query(`SELECT to_regclass('log_entry_unflagged') AS old, to_regclass('log_entry_20260105') AS day`)).rows).toEqual([
      { old: null, day: null },
    ]);
    await Promise.all([log.close(), fresh.end(), pool.end()]);
  });

  test('that repeat another keep their place without their id', async () => {
    const fixture = new LogFixture().trade(START_MS, '5', '10', '1').trade(START_MS, '5', '10', '1').trade(START_MS, '6', '11', '1');
    const pool = await migrated(fixture.events);
    const { rows, hours, candles } = await contentOf(pool);
    expect(rows?.map((row) => [(row as { venue_id: string | null }).venue_id, (row as { flags: number }).flags])).toEqual([
      ['5', 0],
      [null, 32],
      ['6', 0],
    ]);
    expect(hours).toMatchObject([{ row_total: '2', duplicate_total: '1' }]);
    expect(candles).toMatchObject([{ trade_total: '2', volume: '2', notional: '600' }]);
    await pool.end();
  });

  test('need not be there', async () => {
    const pool = await migrated([]);
    const reportedOnTime = [
      { gap_id: 'gap_one', told_ms: String(START_MS + 199_980), end_ms: '0', resolution: 'open' },
      { gap_id: 'gap_one', told_ms: String(START_MS + 200_900), end_ms: String(START_MS + 200_900), resolution: 'resynced' },
    ];
    expect(await contentOf(pool)).toEqual({ rows: [], hours: [], tellings: reportedOnTime, candles: [] });
    await pool.end();
  });
});
