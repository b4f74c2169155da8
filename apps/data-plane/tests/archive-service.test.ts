import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFolderStore, type ObjectStore } from '@market-state/archive';
import { ConfigError } from '@market-state/config';
import type { LogEntry } from '@market-state/event-log';
import { decodeEvent } from '@market-state/market-data';
import { testRpcVariables, waitUntil } from '@market-state/testing';
import { readRecorderConfig, type RunningRecorder, startRecorder } from '../src';
import { createRandomMarket, HOUR_MS, type RandomMarket } from './archive-fixture';
import { SYMBOL } from './log-fixture';
import { failureOf, startDataPlaneSystem, type System } from './rpc-harness';

const MIDNIGHT_MS = Date.UTC(2026, 0, 6);
const SEED = 99;

let folder: string;
let store: ObjectStore;
let system: System;
let second: RunningRecorder;
let market: RandomMarket;
const played: LogEntry[] = [];

function archiverEnv(): Record<string, string> {
  return { ARCHIVE_URL: folder, HOT_DAYS: '0' };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'archive-service-'));
  store = createFolderStore(folder);
  system = await startDataPlaneSystem(archiverEnv());
  second = await startRecorder(
    readRecorderConfig({
      ...archiverEnv(),
      ...testRpcVariables('data-plane-recorder'),
      DATABASE_URL: system.stores.postgresUrl('data_plane'),
      REDIS_URL: system.stores.redisUrl,
      SYMBOLS: SYMBOL,
      LOG_LEVEL: 'silent',
      SHUTDOWN_WAIT_MS: '0',
    }),
  );
  let state = SEED;
  const random = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  market = createRandomMarket({ symbol: SYMBOL, startMs: MIDNIGHT_MS - HOUR_MS - 600_000, tickMs: 12_000, random, lateMsMax: 60_000 });
  await play(MIDNIGHT_MS + HOUR_MS + 60_000);
  await waitUntil('archived and dropped', async () => {
    const { rows } = await system.pool.query<{ hot_from_ms: string }>('SELECT hot_from_ms FROM retention');
    return rows.length === 5 && rows.every(({ hot_from_ms }) => Number(hot_from_ms) === MIDNIGHT_MS);
  });
});

afterAll(async () => {
  await second.close();
  await system.close();
  await rm(folder, { recursive: true, force: true });
});

async function play(feedClockMs: number): Promise<void> {
  const entries = market.upTo(feedClockMs);
  played.push(...entries);
  await system.log.append(SYMBOL, entries);
}

function texts(entries: readonly LogEntry[]): string[] {
  return entries.map(({ payload }) => Buffer.from(payload).toString('base64'));
}

function entriesOfHour(hourMs: number): LogEntry[] {
  return played.filter(({ payload }) => Math.floor(decodeEvent(payload).receivedTsMs / HOUR_MS) * HOUR_MS === hourMs);
}

async function streamed(afterOrdinal: number): Promise<string[]> {
  const entries: string[] = [];
  for await (const message of system.call.streamLogEntries({ symbol: SYMBOL, afterOrdinal, toOrdinal: 0 })) {
    expect(message.contradictingOrdinals).toEqual([]);
    entries.push(...message.entries.map((entry) => entry.toString('base64')));
  }
  return entries;
}

test('two recorders with archivers archive each hour once, and the log is streamed whole over hot rows and archive', async () => {
  const { rows } = await system.pool.query<{ object_key: string }>('SELECT object_key FROM archive_file');
  expect(rows).toHaveLength(15);
  expect((await store.list('')).filter((key) => key.endsWith('.parquet')).sort()).toEqual(rows.map(({ object_key }) => object_key).sort());
  const { rows: hot } = await system.pool.query<{ total: number }>(
    'SELECT count(*)::int AS total FROM log_entry WHERE exchange_ts_ms < $1',
    [MIDNIGHT_MS],
  );
  expect(hot[0]?.total).toBe(0);
  expect(await streamed(0)).toEqual(texts(played));
});

test('the archiver that is left takes over when the other ends', async () => {
  await second.close();
  await play(MIDNIGHT_MS + 2 * HOUR_MS + 60_000);
  await waitUntil('the next hour archived', async () => {
    const { rows } = await system.pool.query<{ total: number }>('SELECT count(*)::int AS total FROM archive_file');
    return rows[0]?.total === 20;
  });
  expect(await streamed(0)).toEqual(texts(played));
});

test('a damaged file ends the stream at its hour, by name, after everything before it', async () => {
  const { rows } = await system.pool.query<{ object_key: string }>(
    `SELECT object_key FROM archive_file WHERE channel = 'book' AND hour_ms = $1`,
    [MIDNIGHT_MS - HOUR_MS],
  );
  await appendFile(await store.get(rows[0]?.object_key ?? ''), 'x');
  expect(await failureOf(streamed(0))).toMatchObject({
    code: 'FAILED_PRECONDITION',
    reason: 'archive_corrupt',
    metadata: { symbol: SYMBOL, channel: 'book', hour: new Date(MIDNIGHT_MS - HOUR_MS).toISOString() },
  });
  const last = entriesOfHour(MIDNIGHT_MS - HOUR_MS).at(-1)?.ordinal ?? 0;
  expect(await streamed(last)).toEqual(texts(played.filter(({ ordinal }) => ordinal > last)));
});

test('days that would empty the archive before the hot rows are refused, every channel at once', () => {
  const read = (): unknown =>
    readRecorderConfig({
      RPC_TOKEN_FILE: 'token',
      DATABASE_URL: 'postgresql://x@127.0.0.1/x',
      REDIS_URL: 'redis://127.0.0.1',
      HOT_DAYS: '5',
      ARCHIVE_DAYS: '6',
      HOT_DAYS_BOOK: '9',
      ARCHIVE_DAYS_TRADES: '4',
    });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(/book: [^\n]*\(6\)[^\n]*\(9\)[\s\S]*trades: [^\n]*\(4\)[^\n]*\(5\)/);
});
