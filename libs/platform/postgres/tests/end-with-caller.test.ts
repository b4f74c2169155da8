import { silentLogger, withRequestContext } from '@market-state/logging';
import { startStores, type TestStores, waitUntil } from '@market-state/testing';
import type { Pool } from 'pg';
import { createPool, inTransaction } from '../src';

const SLOW = 'SELECT pg_sleep(600)';

let stores: TestStores;
let pool: Pool;
let watcher: Pool;

beforeAll(async () => {
  stores = await startStores({ services: [] });
  const url = await stores.emptyDatabaseUrl();
  pool = createPool({
    url,
    logger: silentLogger(),
    applicationName: 'ends',
    max: 2,
    statementTimeoutMs: 600_000,
    connectTimeoutMs: 60_000,
    endsWithCaller: true,
  });
  watcher = createPool({ url, logger: silentLogger(), applicationName: 'watcher' });
});

afterAll(async () => {
  await Promise.all([pool.end(), watcher.end()]);
  await stores.stop();
});

async function runningTotal(): Promise<number> {
  const { rows } = await watcher.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM pg_stat_activity WHERE application_name = 'ends' AND state = 'active' AND query = $1`,
    [SLOW],
  );
  return rows[0]?.total ?? 0;
}

/** Runs work for a caller that can leave. */
function callerOf<T>(work: () => Promise<T>): { readonly result: Promise<T | string>; leave(): void } {
  const gone = new AbortController();
  const result = withRequestContext({ requestId: 'caller', signal: gone.signal }, () => work().catch((error: Error) => error.message));
  return { result, leave: () => gone.abort(new Error('the caller left')) };
}

const running = (total: number): Promise<unknown> => waitUntil(`${total} statements`, async () => (await runningTotal()) === total);

test('a statement is cancelled in the database when its caller leaves, and the connection serves others', async () => {
  const callers = [callerOf(() => pool.query(SLOW)), callerOf(() => pool.query(SLOW))];
  await running(2);
  for (const { leave } of callers) leave();
  await running(0);
  for (const { result } of callers) expect(await result).toMatch(/canceling statement due to user request/);
  for (let turn = 0; turn < 50; turn += 1) expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
});

test('a caller who leaves waits for no connection, and takes none from others', async () => {
  const holders = [callerOf(() => pool.query(SLOW)), callerOf(() => pool.query(SLOW))];
  await running(2);
  const waiting = callerOf(() => pool.query('SELECT 1'));
  const other = pool.query('SELECT 2 AS two');
  waiting.leave();
  expect(await waiting.result).toBe('the caller left');
  for (const { leave } of holders) leave();
  expect((await other).rows).toEqual([{ two: 2 }]);
  expect(pool.waitingCount).toBe(0);
});

test('no further statement of a transaction starts after its caller has left, and it is rolled back', async () => {
  await pool.query('CREATE TABLE item (id int)');
  const caller = callerOf(() =>
    inTransaction(pool, async (client) => {
      await client.query('INSERT INTO item VALUES (1)');
      caller.leave();
      await client.query('INSERT INTO item VALUES (2)');
    }),
  );
  expect(await caller.result).toBe('the caller left');
  expect((await pool.query('SELECT * FROM item')).rows).toEqual([]);
});

test('a caller who has left starts nothing, and work without a caller runs to its end', async () => {
  const caller = callerOf(async () => {
    await Promise.resolve();
    caller.leave();
    return pool.query('SELECT 1');
  });
  expect(await caller.result).toBe('the caller left');
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
});

test('a connection whose statement timed out is not reused', async () => {
  const own = createPool({
    url: await stores.emptyDatabaseUrl(),
    logger: silentLogger(),
    applicationName: 'stuck',
    max: 1,
    statementTimeoutMs: 600_000,
    endsWithCaller: true,
  });
  try {
    const { rows: before } = await own.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const stuck = { text: SLOW, query_timeout: 100 } as unknown as string;
    await expect(own.query(stuck)).rejects.toThrow('Query read timeout');
    const caller = callerOf(() => own.query(stuck));
    expect(await caller.result).toBe('Query read timeout');
    const { rows: after } = await own.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    expect(after[0]?.pid).not.toBe(before[0]?.pid);
  } finally {
    await own.end();
  }
});
