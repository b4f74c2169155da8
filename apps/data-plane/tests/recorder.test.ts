import { createEventLog, type EventLog, formatEntryId, LOG_START } from '@market-state/event-log';
import { silentLogger } from '@market-state/logging';
import { createPool } from '@market-state/postgres';
import { startStores, testRpcVariables, type TestStores, waitUntil } from '@market-state/testing';
import type { Pool } from 'pg';
import { readRecorderConfig } from '../src/config';
import { type RunningRecorder, startRecorder } from '../src/recorder/start-recorder';
import { LogFixture, quietMarket, START_MS, SYMBOL } from './log-fixture';
import { expectTrueRecord, serveInstrument } from './recorded-truth';

let stores: TestStores;
let pool: Pool;
let log: EventLog;
let recorder: RunningRecorder | undefined;

function start(): Promise<RunningRecorder> {
  return startRecorder(
    readRecorderConfig({
      ...testRpcVariables('data-plane-recorder'),
      DATABASE_URL: stores.postgresUrl('data_plane'),
      REDIS_URL: stores.redisUrl,
      SYMBOLS: SYMBOL,
      LOG_LEVEL: 'silent',
      SHUTDOWN_WAIT_MS: '0',
    }),
  );
}

async function stop(): Promise<void> {
  await recorder?.close();
  recorder = undefined;
}

async function recordedOrdinal(): Promise<number> {
  const { rows } = await pool.query<{ ordinal: string }>(
    `SELECT ordinal FROM consumer_position WHERE consumer = 'recorder' AND symbol = $1`,
    [SYMBOL],
  );
  return Number(rows[0]?.ordinal ?? 0);
}

function untilRecorded(ordinal: number): Promise<unknown> {
  return waitUntil(`entry ${ordinal} recorded`, async () => (await recordedOrdinal()) >= ordinal);
}

/** The rows as log entries, so that they can be compared with the log byte by byte. */
async function storedEntries(): Promise<[string, string][]> {
  const { rows } = await pool.query<{ epoch: number; ordinal: string; payload: Buffer }>(
    'SELECT epoch, ordinal, payload FROM log_entry WHERE symbol = $1 ORDER BY ordinal',
    [SYMBOL],
  );
  return rows.map(({ epoch, ordinal, payload }) => [`${epoch}-${ordinal}`, payload.toString('hex')]);
}

async function logEntries(): Promise<[string, string][]> {
  const entries = await log.read(SYMBOL, LOG_START, { count: 100_000 });
  return entries.map((entry) => [formatEntryId(entry), Buffer.from(entry.payload).toString('hex')]);
}

beforeEach(async () => {
  stores = await startStores({ services: ['data_plane'] });
  pool = createPool({ url: stores.postgresUrl('data_plane'), logger: silentLogger(), applicationName: 'test' });
  log = createEventLog(stores.redisUrl, { logger: silentLogger() });
  await serveInstrument(pool, SYMBOL);
});

afterEach(async () => {
  await stop();
  await log.close();
  await pool.end();
  await stores.stop();
});

test('every entry of every channel becomes one row with the bytes of the log, in partitions by UTC day', async () => {
  await log.append(SYMBOL, quietMarket(1_200).take());
  recorder = await start();
  await untilRecorded(1_200);
  expect(await storedEntries()).toEqual(await logEntries());
  const { rows } = await pool.query<{ channel: string; total: number }>(
    'SELECT channel, count(*)::int AS total FROM log_entry GROUP BY 1 ORDER BY 1',
  );
  expect(rows.map(({ channel }) => channel)).toEqual(['book', 'control', 'trade']);
  const { rows: partitions } = await pool.query<{ partition: string; total: number }>(
    'SELECT tableoid::regclass::text AS partition, count(*)::int AS total FROM log_entry GROUP BY 1 ORDER BY 1',
  );
  const days = ['20260105', '20260106'];
  expect(partitions.map(({ partition }) => partition)).toEqual(
    ['book', 'control', 'trade'].flatMap((channel) => days.map((day) => `log_entry_${channel}_${day}`)),
  );
});

test('a trade row carries exact decimals, both clocks and its identity', async () => {
  await log.append(SYMBOL, new LogFixture().trade(START_MS, '987654321987', '64123.1', '0.00155949168', 2, 'sell').take());
  recorder = await start();
  await untilRecorded(1);
  const { rows } = await pool.query(
    'SELECT channel, pass, venue_id, exchange_ts_ms, received_ts_ms, price, size, venue_size, aggressor_side FROM log_entry',
  );
  expect(rows).toEqual([
    {
      channel: 'trade',
      pass: 2,
      venue_id: '987654321987',
      exchange_ts_ms: String(START_MS),
      received_ts_ms: String(START_MS + 5),
      price: '64123.1',
      size: '0.00155949168',
      venue_size: '3',
      aggressor_side: 'sell',
    },
  ]);
});

test('stopped and started again at random places while entries come in, the rows equal the log', async () => {
  const seed = 20_260_105;
  let state = seed;
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
  const fixture = quietMarket(6_000);
  const entries = fixture.take();
  const appending = (async () => {
    for (let from = 0; from < entries.length; from += 150) {
      await log.append(SYMBOL, entries.slice(from, from + 150));
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  for (let round = 0; round < 8; round += 1) {
    recorder = await start();
    await untilRecorded(Math.min(entries.length, (await recordedOrdinal()) + random(600)));
    await stop();
  }
  await appending;
  recorder = await start();
  await untilRecorded(entries.length);
  expect(await storedEntries()).toEqual(await logEntries());
  await expectTrueRecord(pool, SYMBOL, fixture.events);
});

test('two recorders at once write each entry once', async () => {
  const fixture = quietMarket(3_000);
  const entries = fixture.take();
  recorder = await start();
  const second = await start();
  for (let from = 0; from < entries.length; from += 100) await log.append(SYMBOL, entries.slice(from, from + 100));
  await untilRecorded(entries.length);
  await second.close();
  expect(await storedEntries()).toEqual(await logEntries());
  await expectTrueRecord(pool, SYMBOL, fixture.events);
});

test('connections that the database cuts in the middle of the work lose and double nothing', async () => {
  const fixture = quietMarket(4_000);
  const entries = fixture.take();
  recorder = await start();
  for (let from = 0; from < entries.length; from += 100) {
    await log.append(SYMBOL, entries.slice(from, from + 100));
    if (from % 500 === 0) {
      await pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'data-plane-recorder'
          AND datname = current_database()`,
      );
    }
  }
  await untilRecorded(entries.length);
  expect(await storedEntries()).toEqual(await logEntries());
  await expectTrueRecord(pool, SYMBOL, fixture.events);
});

test('the committed position is published, and again at the start', async () => {
  await log.append(SYMBOL, quietMarket(50).take());
  recorder = await start();
  await waitUntil('position published', async () => (await log.positions(SYMBOL)).recorder?.ordinal === 50);
  await stop();
  await log.setPosition(SYMBOL, 'other', { epoch: 1, ordinal: 1 });
  recorder = await start();
  expect((await log.positions(SYMBOL)).recorder).toEqual({ epoch: 1, ordinal: 50 });
});

test('a whole batch after which nothing comes is seen through', async () => {
  await log.append(SYMBOL, quietMarket(2_000).take());
  recorder = await start();
  await waitUntil('position published', async () => (await log.positions(SYMBOL)).recorder?.ordinal === 2_000);
});

test('gaps, their ends and seams are in the ledger under the ids of the log', async () => {
  const fixture = new LogFixture()
    .connected(START_MS)
    .status(START_MS + 1_000, {
      type: 'gap',
      gapId: 'gap_forgotten',
      channel: 'book',
      startMs: START_MS + 900,
      endMs: 0,
      reason: 'sequence_gap',
    })
    .status(START_MS + 2_000, {
      type: 'gap',
      gapId: 'gap_healed',
      channel: 'trade',
      startMs: START_MS + 1_900,
      endMs: 0,
      reason: 'sequence_gap',
    })
    .status(START_MS + 3_000, { type: 'seam', gapId: 'gap_seam', startMs: START_MS + 2_800, endMs: START_MS + 3_000 });
  await log.append(SYMBOL, fixture.take());
  recorder = await start();
  await untilRecorded(4);
  fixture.status(START_MS + 4_000, {
    type: 'resynced',
    gapId: 'gap_healed',
    channel: 'trade',
    startMs: START_MS + 1_900,
    endMs: START_MS + 4_000,
  });
  await log.append(SYMBOL, fixture.take());
  await untilRecorded(5);
  const { rows } = await pool.query('SELECT gap_id, channel, end_ms, reason, resolution FROM gap ORDER BY start_ms');
  expect(rows).toEqual([
    { gap_id: 'gap_forgotten', channel: 'book', end_ms: String(START_MS + 2_800), reason: 'sequence_gap', resolution: 'resumed' },
    { gap_id: 'gap_healed', channel: 'trade', end_ms: String(START_MS + 4_000), reason: 'sequence_gap', resolution: 'resynced' },
    { gap_id: 'gap_seam', channel: null, end_ms: String(START_MS + 3_000), reason: 'recording_seam', resolution: 'resumed' },
  ]);
});

test('a gap is one row under one id, from its opening to its end, in one batch or in several', async () => {
  const gap = { type: 'gap', startMs: START_MS + 900, endMs: 0 } as const;
  const fixture = new LogFixture()
    .connected(START_MS)
    .status(START_MS + 1_000, { type: 'disconnected', reason: 'the venue closed it' })
    .status(START_MS + 1_000, { ...gap, gapId: 'gap_away', reason: 'disconnected' })
    .status(START_MS + 2_000, { ...gap, gapId: 'gap_full', channel: 'book', reason: 'overflow' })
    .status(START_MS + 3_000, { type: 'resynced', gapId: 'gap_full', channel: 'book', startMs: START_MS + 900, endMs: START_MS + 2_900 })
    .status(START_MS + 3_000, { ...gap, gapId: 'gap_trades', channel: 'trade', reason: 'overflow' });
  await log.append(SYMBOL, fixture.take());
  recorder = await start();
  await untilRecorded(6);
  const ledger = async (): Promise<unknown[]> => {
    const { rows } = await pool.query<Record<string, string | null>>(
      'SELECT gap_id, channel, start_ms, end_ms, reason, resolution FROM gap ORDER BY gap_id',
    );
    return rows.map(({ gap_id, channel, start_ms, end_ms, reason, resolution }) => [
      gap_id,
      channel,
      Number(start_ms) - START_MS,
      end_ms === '0' ? 0 : Number(end_ms) - START_MS,
      reason,
      resolution,
    ]);
  };
  const healed = ['gap_full', 'book', 900, 2_900, 'overflow', 'resynced'];
  expect(await ledger()).toEqual([
    ['gap_away', null, 900, 0, 'disconnected', 'open'],
    healed,
    ['gap_trades', 'trade', 900, 0, 'overflow', 'open'],
  ]);
  fixture
    .status(START_MS + 4_000, { ...gap, gapId: 'gap_away', endMs: START_MS + 3_900, reason: 'disconnected' })
    .status(START_MS + 5_000, { type: 'gap', gapId: 'gap_down', startMs: START_MS + 4_500, endMs: START_MS + 5_000, reason: 'feed_down' });
  await log.append(SYMBOL, fixture.take());
  await untilRecorded(8);
  expect(await ledger()).toEqual([
    ['gap_away', null, 900, 3_900, 'disconnected', 'resumed'],
    ['gap_down', null, 4_500, 5_000, 'feed_down', 'resumed'],
    healed,
    ['gap_trades', 'trade', 900, 4_500, 'overflow', 'resumed'],
  ]);
});

test('entries trimmed past the position are one gap, and the recorder goes on', async () => {
  const fixture = quietMarket(600);
  const entries = fixture.take();
  await log.append(SYMBOL, entries.slice(0, 100));
  recorder = await start();
  await untilRecorded(100);
  await stop();
  await log.append(SYMBOL, entries.slice(100));
  await log.trim(SYMBOL, { epoch: 1, ordinal: 301 });
  recorder = await start();
  await untilRecorded(600);
  const { rows } = await pool.query<{ start_ms: string; end_ms: string; reason: string; channel: string | null }>(
    'SELECT start_ms, end_ms, reason, channel FROM gap',
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({ reason: 'log_lost', channel: null });
  expect(Number(rows[0]?.start_ms)).toBeLessThanOrEqual(fixture.events[99]?.exchangeTsMs ?? 0);
  expect(Number(rows[0]?.end_ms)).toBe(fixture.events[300]?.exchangeTsMs);
  expect((await storedEntries()).length).toBe(400);
});

test('a raised epoch is followed; the gap that the feed tells of is not written twice', async () => {
  const fixture = quietMarket(100);
  await log.append(SYMBOL, fixture.take());
  recorder = await start();
  await untilRecorded(100);
  fixture
    .loseLog(50)
    .status(START_MS + 60_000, { type: 'gap', gapId: 'gap_lost', startMs: START_MS, endMs: START_MS + 60_000, reason: 'log_lost' })
    .trade(START_MS + 60_100, '9', '1', '1');
  await log.append(SYMBOL, fixture.take());
  await untilRecorded(152);
  expect((await pool.query('SELECT gap_id FROM gap')).rows).toEqual([{ gap_id: 'gap_lost' }]);
  expect((await pool.query('SELECT epoch, ordinal FROM consumer_position')).rows).toEqual([{ epoch: 2, ordinal: '152' }]);
});

test('readiness and metrics are served', async () => {
  await log.append(SYMBOL, quietMarket(10).take());
  recorder = await start();
  const port = recorder.opsPort;
  await waitUntil('ready', async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok);
  await untilRecorded(10);
  const text = await waitUntil('rows counted', async () => {
    const body = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return body.includes('recorder_rows_total') && body;
  });
  const series = text.split('\n').filter((line) => line.startsWith('recorder_rows_total') || line.startsWith('recorder_lag_entries'));
  expect(series).toEqual([
    `recorder_rows_total{symbol="${SYMBOL}",service="data-plane-recorder"} 10`,
    `recorder_lag_entries{symbol="${SYMBOL}",service="data-plane-recorder"} 0`,
  ]);
});

test('an entry that is no event stops the symbol and shows in readiness; nothing is skipped', async () => {
  const fixture = quietMarket(20);
  await log.append(SYMBOL, fixture.take());
  recorder = await start();
  const port = recorder.opsPort;
  await untilRecorded(20);
  await log.append(SYMBOL, [{ epoch: 1, ordinal: 21, payload: Buffer.from('no event') }]);
  await waitUntil('not ready', async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 503);
  await log.append(SYMBOL, [{ epoch: 1, ordinal: 22, payload: fixture.take()[0]?.payload ?? Buffer.from('also none') }]);
  await stop();
  expect(await recordedOrdinal()).toBe(20);
});
