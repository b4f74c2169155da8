import { createEventLog, type EventLog } from '@market-state/event-log';
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

async function start(): Promise<void> {
  const env = {
    ...testRpcVariables('data-plane-recorder'),
    DATABASE_URL: stores.postgresUrl('data_plane'),
    REDIS_URL: stores.redisUrl,
    SYMBOLS: SYMBOL,
    LOG_LEVEL: 'silent',
    SHUTDOWN_WAIT_MS: '0',
  };
  recorder = await startRecorder(readRecorderConfig(env));
}

function untilRecorded(ordinal: number): Promise<unknown> {
  return waitUntil(`entry ${ordinal} recorded`, async () => {
    const { rows } = await pool.query<{ ordinal: string }>(`SELECT ordinal FROM consumer_position WHERE consumer = 'recorder'`);
    return Number(rows[0]?.ordinal ?? 0) >= ordinal;
  });
}

/** One batch. */
async function record(fixture: LogFixture): Promise<void> {
  const entries = fixture.take();
  await log.append(SYMBOL, entries);
  if (recorder === undefined) await start();
  await untilRecorded(entries.at(-1)?.ordinal ?? 0);
}

beforeEach(async () => {
  stores = await startStores({ services: ['data_plane'] });
  pool = createPool({ url: stores.postgresUrl('data_plane'), logger: silentLogger(), applicationName: 'test' });
  log = createEventLog(stores.redisUrl, { logger: silentLogger() });
  await serveInstrument(pool, SYMBOL);
});

afterEach(async () => {
  await recorder?.close();
  recorder = undefined;
  await log.close();
  await pool.end();
  await stores.stop();
});

test('a trade that comes again is kept without its id, flagged, and in no candle: in its batch, in a later one, and after a restart', async () => {
  const fixture = new LogFixture()
    .connected(START_MS)
    .trade(START_MS + 1, '1', '10', '1')
    .trade(START_MS + 2, '2', '11', '1')
    .trade(START_MS + 1, '1', '10', '1');
  await record(fixture);
  await record(fixture.trade(START_MS + 2, '2', '11', '1').trade(START_MS + 3, '3', '12', '1'));
  await recorder?.close();
  recorder = undefined;
  await record(fixture.trade(START_MS + 3, '3', '12', '1').trade(START_MS + 4, '4', '13', '1'));
  await expectTrueRecord(pool, SYMBOL, fixture.events);
  const { rows } = await pool.query('SELECT ordinal FROM log_entry WHERE flags & 32 <> 0 ORDER BY ordinal');
  expect(rows.map(({ ordinal }: { ordinal: string }) => Number(ordinal))).toEqual([4, 5, 7]);
});

test('a backlog that a venue sends again while the recorder is behind is written once', async () => {
  const fixture = quietMarket(2_500);
  for (let again = 0; again < 3; again += 1) {
    for (const event of fixture.events.slice(1_000, 1_900))
      if (event.kind === 'trade') fixture.trade(event.exchangeTsMs, event.venueId, event.price, event.size);
    fixture.tick(START_MS + 300_000 + again);
  }
  const first = fixture.events.length;
  for (let index = 0; index < 3_000; index += 1) fixture.trade(START_MS + 300_000, String(1_000_000 + (index % 2_700)), '50', '1');
  expect(first).toBeGreaterThan(3_000);
  await record(fixture);
  await expectTrueRecord(pool, SYMBOL, fixture.events);
});

test('the first row that is served after a cut is flagged, although repeats come before it', async () => {
  const fixture = new LogFixture().connected(START_MS).trade(START_MS + 1, '1', '10', '1');
  await record(fixture);
  fixture.status(START_MS + 2, { type: 'disconnected', reason: 'closed' }).connected(START_MS + 3);
  await record(fixture.trade(START_MS + 1, '1', '10', '1').trade(START_MS + 4, '2', '11', '1'));
  await expectTrueRecord(pool, SYMBOL, fixture.events);
  expect((await pool.query(`SELECT flags FROM log_entry WHERE channel = 'trade' ORDER BY ordinal`)).rows).toEqual([
    { flags: 0 },
    { flags: 32 },
    { flags: 8 },
  ]);
});

test('only exact repeats are duplicates: not another channel, pass, time or symbol, nor an entry without id', async () => {
  const fixture = new LogFixture()
    .connected(START_MS)
    .trade(START_MS, '1', '10', '1', 1)
    .trade(START_MS, '1', '10', '1', 2)
    .trade(START_MS + 1, '1', '10', '1', 1)
    .book(START_MS, '1', '9', '10')
    .trade(START_MS, '', '10', '1')
    .trade(START_MS, '', '10', '1')
    .tick(START_MS)
    .tick(START_MS);
  await record(fixture);
  await expectTrueRecord(pool, SYMBOL, fixture.events);
  expect((await pool.query('SELECT FROM log_entry WHERE flags & 32 <> 0')).rowCount).toBe(0);
  await pool.query(
    `INSERT INTO log_entry SELECT 'ETHUSD-PERP', ordinal, epoch, channel, pass, venue_id, exchange_ts_ms, received_ts_ms, flags, payload
      FROM log_entry`,
  );
  expect((await pool.query('SELECT FROM log_entry')).rowCount).toBe(fixture.events.length * 2);
});

test('the database itself refuses a second row of one id', async () => {
  const fixture = new LogFixture().trade(START_MS, '1', '10', '1');
  await record(fixture);
  const again = pool.query(
    'INSERT INTO log_entry SELECT symbol, ordinal + 1, epoch, channel, pass, venue_id, exchange_ts_ms, received_ts_ms, flags, payload FROM log_entry',
  );
  await expect(again).rejects.toMatchObject({ code: '23505' });
});
