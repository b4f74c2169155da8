import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@market-state/config';
import { createEventLog, type EventLog } from '@market-state/event-log';
import { silentLogger } from '@market-state/logging';
import { createPool } from '@market-state/postgres';
import { startStores, testRpcVariables, type TestStores, waitUntil } from '@market-state/testing';
import type { Pool } from 'pg';
import { readRecorderConfig, type RunningRecorder, startRecorder } from '../src';
import { quietMarket, START_MS } from './log-fixture';
import { expectTrueRecord, serveInstrument } from './recorded-truth';

/** Shards 0 and 1 of two; 2 and 1 of three. */
const SYMBOLS = ['BTCUSD-PERP', 'SOLUSD-PERP'];
const ENTRIES = 1_200;

let folder: string;
let stores: TestStores;
let pool: Pool;
let log: EventLog;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recorder-shards-'));
  stores = await startStores({ services: ['data_plane'] });
  pool = createPool({ url: stores.postgresUrl('data_plane'), logger: silentLogger(), applicationName: 'test' });
  log = createEventLog(stores.redisUrl, { logger: silentLogger() });
  for (const symbol of SYMBOLS) await serveInstrument(pool, symbol);
});
afterAll(async () => {
  await log.close();
  await pool.end();
  await stores.stop();
  await rm(folder, { recursive: true, force: true });
});

function configOf(settings: Readonly<Record<string, string>>) {
  return readRecorderConfig({
    ...testRpcVariables('data-plane-recorder'),
    DATABASE_URL: stores.postgresUrl('data_plane'),
    REDIS_URL: stores.redisUrl,
    ARCHIVE_URL: folder,
    FEED: 'hyperliquid',
    SYMBOLS: SYMBOLS.join(),
    LOG_LEVEL: 'silent',
    SHUTDOWN_WAIT_MS: '0',
    ...settings,
  });
}

function startShards(count: number): Promise<RunningRecorder[]> {
  const shards = Array.from({ length: count }, (_, index) => ({ SHARD_COUNT: String(count), SHARD_INDEX: `data-plane-recorder-${index}` }));
  return Promise.all(shards.map((settings) => startRecorder(configOf(settings))));
}

const closeAll = (recorders: readonly RunningRecorder[]): Promise<unknown> => Promise.all(recorders.map((recorder) => recorder.close()));

test('one recorder, two in addition, then three: each entry is one row, counted once, and one of them archives every symbol', async () => {
  const markets = SYMBOLS.map((symbol) => ({ symbol, market: quietMarket(ENTRIES, symbol) }));
  const left = markets.map(({ symbol, market }) => ({ symbol, entries: market.tick(START_MS + 2 * 3_600_000).take() }));
  async function play(total: number): Promise<void> {
    for (const { symbol, entries } of left) {
      const part = entries.splice(0, total);
      await log.append(symbol, part);
      await waitUntil(`entry ${part.at(-1)?.ordinal} of ${symbol} is recorded`, async () => {
        const { rows } = await pool.query<{ ordinal: string }>(
          `SELECT ordinal FROM consumer_position WHERE consumer = 'recorder' AND symbol = $1`,
          [symbol],
        );
        return Number(rows[0]?.ordinal ?? 0) >= (part.at(-1)?.ordinal ?? 0);
      });
    }
  }
  const one = await startShards(1);
  await play(300);
  const two = await startShards(2);
  await play(300);
  await closeAll(one);
  await play(300);
  await closeAll(two);
  const three = await startShards(3);
  await play(ENTRIES);
  for (const { symbol, market } of markets) await expectTrueRecord(pool, symbol, market.events);
  await waitUntil('hours of both are archived', async () => {
    const { rows } = await pool.query<{ symbol: string }>('SELECT DISTINCT symbol FROM archive_file ORDER BY 1');
    return rows.map(({ symbol }) => symbol).join() === SYMBOLS.join();
  });
  await closeAll(three);
});

test('a shard that there is not is refused with every other fault', () => {
  const faultsOf = (settings: Readonly<Record<string, string>>): readonly string[] => {
    try {
      configOf(settings);
      return [];
    } catch (error) {
      if (error instanceof ConfigError) return error.faults.map(({ variable, message }) => `${variable}: ${message}`);
      throw error;
    }
  };
  expect(faultsOf({ SHARD_COUNT: '2', SHARD_INDEX: 'data-plane-recorder-2' })).toEqual([
    'SHARD_INDEX: must be less than 2, the number of shards',
  ]);
  expect(faultsOf({ SHARDS_FILE: join(folder, 'none.json'), HOT_DAYS: 'many' })).toEqual([
    'HOT_DAYS: must be a whole number, 0..36500',
    `SHARDS_FILE: ${join(folder, 'none.json')} cannot be read`,
  ]);
});
