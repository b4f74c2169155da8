import { account } from '@market-state/contracts';
import { createClient, type GrpcClient } from '@market-state/grpc';
import { DAY_MS, MINUTE_MS } from '@market-state/service-figures';
import { patientPeer } from '@market-state/testing';
import { Pool } from 'pg';
import { foldReadDays } from '../src/store/read-statistics';
import { type AccountUnderTest, startAccountUnderTest } from './account-under-test';

let service: AccountUnderTest;
let pool: Pool;
let client: GrpcClient<account.ReadFiguresServiceService>;
/** Start of a minute two minutes ago. */
let minuteMs: number;

beforeAll(async () => {
  service = await startAccountUnderTest();
  pool = new Pool({ connectionString: service.stores.postgresUrl('account'), max: 1 });
  client = createClient({ definition: account.ReadFiguresServiceService, ...patientPeer('account'), address: service.server.address });
});
afterAll(async () => {
  await client.close();
  await pool.end();
  await service.stop();
});
beforeEach(async () => {
  await service.ownerSql('TRUNCATE read_minute, read_day, folded_read_day');
  service.clock.aheadMs = 0;
  minuteMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 2 * MINUTE_MS;
});

/** Sets the service clock. */
function setClock(instantMs: number): void {
  service.clock.aheadMs = instantMs - Date.now();
}

const read = (change: Partial<account.ReadMinute> = {}): account.ReadMinute => ({
  minuteMs,
  rateClass: 'metered',
  answered: 100,
  failed: 0,
  ...change,
});
const record = (minutes: account.ReadMinute[], counterId = 'gw_1') => client.call.recordReadMinutes({ counterId, minutes });
const months = (toMs = minuteMs + MINUTE_MS) => client.call.listReadMonths({ fromMs: toMs - 40 * DAY_MS, toMs });
const incidents = () =>
  client.call.listIncidents({
    filter: { fromMs: minuteMs - DAY_MS, toMs: minuteMs + DAY_MS, symbol: 'BTCUSD-PERP', kind: '', pageSize: 10, after: undefined },
  });

test('a span that ends within a minute counts its whole minutes', async () => {
  await record([read({ minuteMs: minuteMs - 3 * MINUTE_MS, sinceMs: minuteMs - 3 * MINUTE_MS })]);
  const whole = await months(minuteMs);
  expect(whole.months.at(-1)).toMatchObject({ minutesWithoutFigures: 2 });
  expect(await months(minuteMs + 31_500)).toEqual(whole);
});

test('a minute that is handed on again takes the place of what it was; gateways and classes add up', async () => {
  await record([read({ sinceMs: minuteMs }), read({ rateClass: 'public', answered: 5 })]);
  await record([read({ answered: 101, failed: 1, sinceMs: minuteMs }), read({ rateClass: 'public', answered: 5 })]);
  await record([read({ answered: 10 })], 'gw_2');
  const { months: found, countedFromMs } = await months();
  expect(countedFromMs).toBe(minuteMs);
  expect(found.at(-1)).toMatchObject({ answeredTotal: 116, failedTotal: 1, minutesWithoutFigures: 0 });
});

test('months are what a count of the raw rows gives, from minutes and, once days are over, from their sums', async () => {
  const dayMs = Date.UTC(2031, 4, 31);
  const raw = Array.from({ length: 2_880 }, (_none, index) => {
    const failed = index % 500 === 3 ? 2 : 0;
    return { at: dayMs + index * MINUTE_MS, answered: 40 + (index % 7), failed };
  });
  const kept = raw.filter((_row, index) => index < 1_000 || index >= 1_060);
  await pool.query(
    `INSERT INTO read_minute (minute_ms, rate_class, counter_id, since_ms, answered, failed)
     SELECT at, 'metered', 'gw_1', CASE at WHEN $2::bigint THEN at END, answered, failed FROM jsonb_to_recordset($1) AS row(at bigint, answered int, failed int)`,
    [JSON.stringify(kept), dayMs],
  );
  setClock(dayMs + 2 * DAY_MS + MINUTE_MS);
  const sum = (of: (row: (typeof raw)[number]) => number, day: number): number =>
    kept.filter(({ at }) => Math.floor((at - dayMs) / DAY_MS) === day).reduce((total, row) => total + of(row), 0);
  const expected = [0, 1].map((day) => ({
    monthMs: day === 0 ? Date.UTC(2031, 4) : Date.UTC(2031, 5),
    answeredTotal: sum(({ answered }) => answered, day),
    failedTotal: sum(({ failed }) => failed, day),
    minutesWithoutFigures: day === 0 ? 60 : 0,
  }));
  const toMs = dayMs + 2 * DAY_MS;
  expect((await months(toMs)).months).toEqual(expected);
  await foldReadDays(pool, dayMs + DAY_MS + 3 * 3_600_000);
  await pool.query('DELETE FROM read_minute WHERE minute_ms < $1', [dayMs + DAY_MS]);
  expect((await months(toMs)).months).toEqual(expected);
  await foldReadDays(pool, dayMs + 100 * DAY_MS);
  expect((await pool.query('SELECT 1 FROM read_minute')).rowCount).toBe(0);
  expect((await months(toMs)).months).toEqual(expected);
});

test('an incident opens with the minute in which reads fail, and closes with the first in which they do not', async () => {
  await record([read({ answered: 40, failed: 20, sinceMs: minuteMs }), read({ minuteMs: minuteMs + MINUTE_MS, answered: 99, failed: 3 })]);
  setClock(minuteMs + MINUTE_MS + 50_000);
  const [open] = (await incidents()).incidents;
  expect(open).toMatchObject({ kind: 'reads_failing', openedMs: minuteMs, closedMs: 0, symbols: [] });
  setClock(minuteMs + 2 * MINUTE_MS + 50_000);
  const closed = (await incidents()).incidents;
  expect(closed).toEqual([
    {
      ...open,
      closedMs: minuteMs + MINUTE_MS,
      sentence: '20 of 60 reads (33.4 %) failed with a server error. It lasted 1 min.',
    },
  ]);
});

test('every fault of a request is named', async () => {
  const faultsOf = (call: Promise<unknown>) =>
    call.then(
      () => [],
      ({ faults }: { readonly faults: readonly { readonly field: string }[] }) => faults.map(({ field }) => field),
    );
  expect(await faultsOf(record([read({ minuteMs: minuteMs + 1, rateClass: 'odd' }), read({ minuteMs: minuteMs - DAY_MS })], ''))).toEqual([
    ...['counter_id', 'minutes.0.minute_ms', 'minutes.0.rate_class', 'minutes.1.minute_ms'],
  ]);
  expect(await faultsOf(client.call.listReadMonths({ fromMs: minuteMs - 900 * DAY_MS, toMs: minuteMs }))).toEqual(['months']);
});
