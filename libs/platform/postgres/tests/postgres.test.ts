import { silentLogger } from '@market-state/logging';
import { startStores, type TestStores } from '@market-state/testing';
import type { Pool } from 'pg';
import {
  copyRows,
  type CopyValue,
  createPool,
  inTransaction,
  isTransientDatabaseError,
  isUniqueViolation,
  pingPostgres,
  selectRows,
} from '../src';

let stores: TestStores;
let pool: Pool;
let url: string;

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

beforeAll(async () => {
  stores = await startStores({ services: [] });
  url = await stores.emptyDatabaseUrl();
  pool = createPool({ url, logger: silentLogger(), applicationName: 'test', statementTimeoutMs: 2_000 });
  await pool.query('CREATE TABLE item (id bigint PRIMARY KEY, words text, amount numeric, flag boolean, body bytea)');
});

afterAll(async () => {
  await pool.end();
  await stores.stop();
});

beforeEach(() => pool.query('TRUNCATE item'));

test('a connection that breaks in the instant it is handed over ends nothing', async () => {
  const fresh = createPool({ url, logger: silentLogger(), applicationName: 'fresh' });
  await new Promise<void>((done, fail) => {
    fresh.connect((error, client, release) => {
      if (client === undefined) return fail(error);
      try {
        client.emit('error', new Error('terminating connection'));
        done();
      } catch (thrown) {
        fail(thrown);
      } finally {
        release();
      }
    });
  });
  await fresh.end();
});

test.each([
  ['text with U+0000', 'INSERT INTO item (id, words) VALUES (1, $1)', 'a\0b'],
  ['JSON text with U+0000', 'SELECT $1::jsonb', '"a\\u0000b"'],
  ['a number out of range', 'INSERT INTO item (id) VALUES ($1)', '99999999999999999999'],
  ['a text that is no number', 'INSERT INTO item (id) VALUES ($1)', 'x'],
  ['a day that no calendar has', 'SELECT $1::timestamptz', '2026-02-30'],
])('%s is a fault of the request, also in a transaction, and leaves the connection open', async (_name, statement, value) => {
  const single = createPool({ url, logger: silentLogger(), applicationName: 'single', max: 1, endsWithCaller: true });
  const processId = async (): Promise<unknown> => (await single.query('SELECT pg_backend_pid() AS id')).rows[0];
  const before = await processId();
  const refused = { code: 'INVALID_ARGUMENT', reason: 'invalid_argument', message: expect.stringContaining('in the request') };
  await expect(single.query(statement, [value])).rejects.toMatchObject(refused);
  await expect(inTransaction(single, (client) => client.query(statement, [value]))).rejects.toMatchObject(refused);
  await expect(processId()).resolves.toEqual(before);
  await expect(single.query('SELECT 1 / 0')).rejects.toMatchObject({ code: '22012' });
  await single.end();
});

const COLUMNS = ['id', 'words', 'amount', 'flag', 'body'];

test('copied rows come back as they were, with every character and byte', async () => {
  const everyByte = Uint8Array.from({ length: 256 }, (_unused, index) => index);
  const rows: CopyValue[][] = [
    [1, 'plain', '123456789.123456789012345678', true, everyByte],
    [2n, 'tab\t line\n return\r back\\slash \\N \\. \b\f\v "quote" é 中 \u{1f600}', '0.10', false, new Uint8Array(0)],
    [3, '', '-1', null, null],
    [4, null, null, null, everyByte.subarray(10, 20)],
    [5, '\\N', '1e3', true, null],
  ];
  const total = await inTransaction(pool, (client) => copyRows(client, { table: 'item', columns: COLUMNS }, rows));
  expect(total).toBe(5);
  const { rows: stored } = await pool.query<{
    id: string;
    words: string | null;
    amount: string | null;
    flag: boolean | null;
    body: Buffer | null;
  }>('SELECT * FROM item ORDER BY id');
  expect(stored.map(({ id, words, amount, flag, body }) => [Number(id), words, amount, flag, body === null ? null : [...body]])).toEqual([
    [1, 'plain', '123456789.123456789012345678', true, [...everyByte]],
    [2, rows[1]?.[1], '0.10', false, []],
    [3, '', '-1', null, null],
    [4, null, null, null, [...everyByte.subarray(10, 20)]],
    [5, '\\N', '1000', true, null],
  ]);
});

test('a copy far larger than one chunk is whole', async () => {
  function* many(): Generator<CopyValue[]> {
    for (let id = 0; id < 20_000; id += 1) yield [id, `row ${id}`, '1', true, Buffer.from(String(id))];
  }
  expect(await inTransaction(pool, (client) => copyRows(client, { table: 'public.item', columns: COLUMNS }, many()))).toBe(20_000);
});

test('one bad row fails the whole copy and its transaction, and the connection stays usable', async () => {
  const rows: CopyValue[][] = [
    [1, 'a', '1', true, null],
    [1, 'b', '1', true, null],
  ];
  const error = await failureOf(inTransaction(pool, (client) => copyRows(client, { table: 'item', columns: COLUMNS }, rows)));
  expect(isUniqueViolation(error)).toBe(true);
  expect(isTransientDatabaseError(error)).toBe(false);
  expect((await pool.query('SELECT 1 FROM item')).rowCount).toBe(0);
});

test('a source of rows that throws leaves nothing behind', async () => {
  function* broken(): Generator<CopyValue[]> {
    yield [1, 'a', '1', true, null];
    throw new Error('source broke');
  }
  const error = await failureOf(inTransaction(pool, (client) => copyRows(client, { table: 'item', columns: COLUMNS }, broken())));
  expect(error).toMatchObject({ message: 'source broke' });
  expect((await pool.query('SELECT 1 FROM item')).rowCount).toBe(0);
});

test('a transaction commits when its work resolves and rolls back when it rejects', async () => {
  await inTransaction(pool, (client) => client.query('INSERT INTO item (id) VALUES (7)'));
  await failureOf(
    inTransaction(pool, async (client) => {
      await client.query('INSERT INTO item (id) VALUES (8)');
      throw new Error('changed my mind');
    }),
  );
  expect((await pool.query('SELECT id FROM item')).rows).toEqual([{ id: '7' }]);
});

test('a connection that breaks inside a transaction is thrown away and counts as transient', async () => {
  const error = await failureOf(
    inTransaction(pool, async (client) => {
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
      await client.query('SELECT 1');
    }),
  );
  expect(isTransientDatabaseError(error)).toBe(true);
  expect(await pingPostgres(pool)).toBeGreaterThan(0);
});

test('a statement past its limit is cut off and is not called transient', async () => {
  const short = createPool({ url, logger: silentLogger(), applicationName: 'test', statementTimeoutMs: 50 });
  const error = await failureOf(short.query('SELECT pg_sleep(5)'));
  await short.end();
  expect(error).toMatchObject({ code: '57014' });
  expect(isTransientDatabaseError(error)).toBe(false);
});

test('a database that is not there is transient', async () => {
  const nowhere = createPool({ url: 'postgresql://u:p@127.0.0.1:1/x', logger: silentLogger(), applicationName: 'test' });
  const error = await failureOf(nowhere.query('SELECT 1'));
  await nowhere.end();
  expect(isTransientDatabaseError(error)).toBe(true);
});

test('selected rows have camel-case names, numbers for 64-bit integers, exact decimals as text, and undefined for null', async () => {
  const text = `SELECT 9007199254740991::bigint AS last_ordinal, 0.10::numeric AS price, null::bigint AS end_ms, true AS is_open, $1::text AS symbol`;
  const rows = await selectRows(pool, { text, values: ['BTC'] });
  expect(rows).toEqual([{ lastOrdinal: 9_007_199_254_740_991, price: '0.10', endMs: undefined, isOpen: true, symbol: 'BTC' }]);
  expect(await selectRows(pool, { text: 'SELECT 1 WHERE false' })).toEqual([]);
});
