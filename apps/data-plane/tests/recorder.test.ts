import { waitUntil } from '@market-state/testing';
import { LogFixture, quietMarket, START_MS, SYMBOL } from './log-fixture';
import { expectTrueRecord } from './recorded-truth';
import { RecorderUnderTest } from './recorder-under-test';

let recorder: RecorderUnderTest;

beforeEach(async () => {
  recorder = await RecorderUnderTest.open();
});
afterEach(() => recorder.close());

test('every entry of every channel becomes one row with the bytes of the recorder.log, in partitions by UTC day', async () => {
  await recorder.log.append(SYMBOL, quietMarket(1_200).take());
  await recorder.start();
  await recorder.untilRecorded(1_200);
  expect(await recorder.storedEntries()).toEqual(await recorder.logEntries());
  const { rows } = await recorder.pool.query<{ channel: string; total: number }>(
    'SELECT channel, count(*)::int AS total FROM log_entry GROUP BY 1 ORDER BY 1',
  );
  expect(rows.map(({ channel }) => channel)).toEqual(['book', 'control', 'trade']);
  const { rows: partitions } = await recorder.pool.query<{ partition: string; total: number }>(
    'SELECT tableoid::regclass::text AS partition, count(*)::int AS total FROM log_entry GROUP BY 1 ORDER BY 1',
  );
  const days = ['20260105', '20260106'];
  expect(partitions.map(({ partition }) => partition)).toEqual(
    ['book', 'control', 'trade'].flatMap((channel) => days.map((day) => `log_entry_${channel}_${day}`)),
  );
});

test('a trade row carries exact decimals, both clocks and its identity', async () => {
  await recorder.log.append(SYMBOL, new LogFixture().trade(START_MS, '987654321987', '64123.1', '0.00155949168', 2, 'sell').take());
  await recorder.start();
  await recorder.untilRecorded(1);
  const { rows } = await recorder.pool.query(
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
  const fixture = quietMarket(2_000);
  const entries = fixture.take();
  const appending = (async () => {
    for (let from = 0; from < entries.length; from += 50) {
      await recorder.log.append(SYMBOL, entries.slice(from, from + 50));
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  for (let round = 0; round < 8; round += 1) {
    await recorder.start();
    await recorder.untilRecorded(Math.min(entries.length, (await recorder.recordedOrdinal()) + random(200)));
    await recorder.stop();
  }
  await appending;
  await recorder.start();
  await recorder.untilRecorded(entries.length);
  expect(await recorder.storedEntries()).toEqual(await recorder.logEntries());
  await expectTrueRecord(recorder.pool, SYMBOL, fixture.events);
});

test('two recorders at once write each entry once', async () => {
  const fixture = quietMarket(1_000);
  const entries = fixture.take();
  await recorder.start();
  const second = await recorder.another();
  for (let from = 0; from < entries.length; from += 100) await recorder.log.append(SYMBOL, entries.slice(from, from + 100));
  await recorder.untilRecorded(entries.length);
  await second.close();
  expect(await recorder.storedEntries()).toEqual(await recorder.logEntries());
  await expectTrueRecord(recorder.pool, SYMBOL, fixture.events);
});

test('connections that the database cuts in the middle of the work lose and double nothing', async () => {
  const fixture = quietMarket(1_600);
  const entries = fixture.take();
  await recorder.start();
  for (let from = 0; from < entries.length; from += 100) {
    await recorder.log.append(SYMBOL, entries.slice(from, from + 100));
    if (from % 400 === 0) {
      await recorder.pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'data-plane-recorder'
          AND datname = current_database()`,
      );
    }
  }
  await recorder.untilRecorded(entries.length);
  expect(await recorder.storedEntries()).toEqual(await recorder.logEntries());
  await expectTrueRecord(recorder.pool, SYMBOL, fixture.events);
});

test('the committed position is published, and again at the start', async () => {
  await recorder.log.append(SYMBOL, quietMarket(50).take());
  await recorder.start();
  await waitUntil('position published', async () => (await recorder.log.positions(SYMBOL)).recorder?.ordinal === 50);
  await recorder.stop();
  await recorder.log.setPosition(SYMBOL, 'other', { epoch: 1, ordinal: 1 });
  await recorder.start();
  expect((await recorder.log.positions(SYMBOL)).recorder).toEqual({ epoch: 1, ordinal: 50 });
});

test('a whole batch after which nothing comes is seen through', async () => {
  await recorder.log.append(SYMBOL, quietMarket(2_000).take());
  await recorder.start();
  await waitUntil('position published', async () => (await recorder.log.positions(SYMBOL)).recorder?.ordinal === 2_000);
});

test('readiness and metrics are served', async () => {
  await recorder.log.append(SYMBOL, quietMarket(10).take());
  const { opsPort } = await recorder.start();
  await waitUntil('ready', async () => (await fetch(`http://127.0.0.1:${opsPort}/readyz`)).ok);
  await recorder.untilRecorded(10);
  const text = await waitUntil('rows counted', async () => {
    const body = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
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
  await recorder.log.append(SYMBOL, fixture.take());
  const { opsPort } = await recorder.start();
  await recorder.untilRecorded(20);
  await recorder.log.append(SYMBOL, [{ epoch: 1, ordinal: 21, payload: Buffer.from('no event') }]);
  await waitUntil('not ready', async () => (await fetch(`http://127.0.0.1:${opsPort}/readyz`)).status === 503);
  await recorder.log.append(SYMBOL, [{ epoch: 1, ordinal: 22, payload: fixture.take()[0]?.payload ?? Buffer.from('also none') }]);
  await recorder.stop();
  expect(await recorder.recordedOrdinal()).toBe(20);
});
