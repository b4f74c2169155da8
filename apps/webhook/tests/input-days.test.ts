import { silentLogger } from '@market-state/logging';
import { createPool } from '@market-state/postgres';
import { startStores, type TestStores, waitUntil } from '@market-state/testing';
import type { Pool } from 'pg';
import { createInputDays, dropPastInputDays, inputsOfSpan, insertInputs } from '../src/store/inputs';
import { type EvaluatorBench, packetsOf, startBench, windowEndMs } from './evaluator-under-test';
import { planOf } from './plan-of';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MIDNIGHT_MS = Date.UTC(2026, 7, 1);
const SYMBOL = 'DAY-PERP';

let stores: TestStores;
let pool: Pool;
beforeEach(async () => {
  stores = await startStores({ services: ['webhook'] });
  pool = createPool({ url: stores.postgresUrl('webhook'), logger: silentLogger(), applicationName: 'test' });
});
afterEach(async () => {
  await pool.end();
  await stores.stop();
});

async function daysOf(on: Pool): Promise<string[]> {
  const { rows } = await on.query<{ day: string }>(
    `SELECT right(child.relname, 8) AS day FROM pg_inherits JOIN pg_class AS child ON child.oid = inhrelid
     WHERE inhparent = 'rule_input'::regclass AND child.relkind = 'r' ORDER BY 1`,
  );
  return rows.map(({ day }) => day);
}

const store = (endsMs: readonly number[]) =>
  insertInputs(pool, endsMs.map((endMs, index) => ({ symbol: SYMBOL, sequence: index + 1, window_end_ms: endMs })) as never);

test('a day is made before its rows, with the day after it, and is there 31 days after its end', async () => {
  const days = createInputDays(pool, () => MIDNIGHT_MS + HOUR_MS);
  const endsMs = [MIDNIGHT_MS - 1, MIDNIGHT_MS, MIDNIGHT_MS + DAY_MS - 1];
  await expect(store(endsMs)).rejects.toMatchObject({ code: '23514' });
  await days.ensure(endsMs);
  await store(endsMs);
  expect(await daysOf(pool)).toEqual(['20260731', '20260801', '20260802']);
  const { rows } = await pool.query('SELECT tableoid::regclass::text AS day FROM rule_input ORDER BY window_end_ms');
  expect(rows.map(({ day }) => day)).toEqual(['rule_input_20260731', 'rule_input_20260801', 'rule_input_20260801']);

  expect(await dropPastInputDays(pool, MIDNIGHT_MS + 31 * DAY_MS - 1)).toEqual([]);
  expect(await dropPastInputDays(pool, MIDNIGHT_MS + 31 * DAY_MS)).toEqual([MIDNIGHT_MS - DAY_MS]);
  expect(await daysOf(pool)).toEqual(['20260801', '20260802']);
  expect(await inputsOfSpan(pool, SYMBOL, { after: 0, toMs: MIDNIGHT_MS + DAY_MS, limit: 10 })).toHaveLength(2);
  expect(await dropPastInputDays(pool, MIDNIGHT_MS + 40 * DAY_MS)).toEqual([MIDNIGHT_MS, MIDNIGHT_MS + DAY_MS]);
  expect(await daysOf(pool)).toEqual([]);
});

test('an older day stays a day after it was last written to', async () => {
  let nowMs = MIDNIGHT_MS + 50 * DAY_MS;
  const days = createInputDays(pool, () => nowMs);
  await days.ensure([MIDNIGHT_MS]);
  await store([MIDNIGHT_MS]);
  nowMs += 13 * HOUR_MS;
  await days.ensure([MIDNIGHT_MS]);
  nowMs += 23 * HOUR_MS;
  expect(await dropPastInputDays(pool, nowMs)).toEqual([]);
  nowMs += HOUR_MS;
  expect(await dropPastInputDays(pool, nowMs)).toEqual([MIDNIGHT_MS, MIDNIGHT_MS + DAY_MS]);
});

test('many at once make a day once', async () => {
  const sides = Array.from({ length: 8 }, () => createInputDays(pool, () => MIDNIGHT_MS));
  await Promise.all(sides.map((days) => days.ensure([MIDNIGHT_MS])));
  expect(await daysOf(pool)).toEqual(['20260801', '20260802']);
});

test('a window that is inserted twice is stored once', async () => {
  await createInputDays(pool, () => MIDNIGHT_MS).ensure([MIDNIGHT_MS]);
  await store([MIDNIGHT_MS]);
  await store([MIDNIGHT_MS]);
  expect((await pool.query('SELECT FROM rule_input')).rowCount).toBe(1);
});

test('a span is read from its own days by their index', async () => {
  const days = createInputDays(pool, () => MIDNIGHT_MS);
  await days.ensure(Array.from({ length: 10 }, (_, day) => MIDNIGHT_MS - day * DAY_MS));
  const span = { after: MIDNIGHT_MS, toMs: MIDNIGHT_MS + HOUR_MS, limit: 500 };
  const plan = await planOf(pool, (on) => inputsOfSpan(on, SYMBOL, span));
  expect([...new Set(plan.match(/rule_input_\d{8}\w*/g))]).toEqual(['rule_input_20260801_pkey', 'rule_input_20260801']);
});

test('the service makes and drops days by functions alone, and only those that are past', async () => {
  await createInputDays(pool, () => MIDNIGHT_MS).ensure([MIDNIGHT_MS]);
  await store([MIDNIGHT_MS]);
  const codeOf = (statement: string) =>
    pool.query(statement).then(
      () => 'none',
      ({ code }: { code: string }) => code,
    );
  for (const statement of [
    'DROP TABLE rule_input_20260801',
    'ALTER TABLE rule_input DETACH PARTITION rule_input_20260801',
    'DELETE FROM rule_input',
    'UPDATE rule_input_day SET kept_until_ms = 0',
  ])
    expect({ statement, code: await codeOf(statement) }).toEqual({ statement, code: '42501' });
  for (const day of ['1', 'NULL', '4102444800000', '-86400000'])
    for (const name of ['make_rule_input_day', 'drop_rule_input_day']) {
      const statement = `SELECT ${name}(${day}, 0)`;
      expect({ statement, code: await codeOf(statement) }).toEqual({ statement, code: '22023' });
    }
  const drop = async (dayMs: number, nowMs: number) =>
    (await pool.query<{ dropped: boolean }>('SELECT drop_rule_input_day($1, $2) AS dropped', [dayMs, nowMs])).rows[0]?.dropped;
  expect(await drop(MIDNIGHT_MS, MIDNIGHT_MS + 32 * DAY_MS - 1)).toBe(false);
  expect(await drop(MIDNIGHT_MS - DAY_MS, MIDNIGHT_MS + 99 * DAY_MS)).toBe(false);
  expect((await pool.query('SELECT FROM rule_input')).rowCount).toBe(1);
});

describe('an evaluator', () => {
  let bench: EvaluatorBench;
  beforeEach(async () => {
    bench = await startBench();
  });
  afterEach(() => bench.close());

  test('makes days ahead, goes over midnight, and drops what is past its time', async () => {
    bench.nowMs = windowEndMs(0);
    const first = await bench.start();
    await waitUntil('today and tomorrow', async () => (await daysOf(bench.pool)).length === 2);
    expect(await daysOf(bench.pool)).toEqual(['20240808', '20240809']);
    bench.publish(packetsOf(SYMBOL, 'F', 1));
    await bench.seen(SYMBOL, 1);
    bench.publish(packetsOf(SYMBOL, 'F', 8_640));
    await bench.seen(SYMBOL, 8_640);
    expect(await daysOf(bench.pool)).toEqual(['20240808', '20240809', '20240810']);
    await first.close();

    bench.nowMs = windowEndMs(0) + 32 * DAY_MS;
    const second = await bench.start();
    await waitUntil('the first day is gone', async () => !(await daysOf(bench.pool)).includes('20240808'));
    expect(await daysOf(bench.pool)).toEqual(['20240809', '20240810', '20240909', '20240910']);
    const { rows } = await bench.pool.query('SELECT sequence::int FROM rule_input');
    expect(rows).toEqual([{ sequence: 8_640 }]);
    await second.close();
  });
});
