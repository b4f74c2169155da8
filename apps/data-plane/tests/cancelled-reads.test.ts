import { marketData } from '@market-state/contracts';
import { waitUntil } from '@market-state/testing';
import type { PoolClient } from 'pg';
import { LogFixture, START_MS, SYMBOL } from './log-fixture';
import { startDataPlaneSystem, type System } from './rpc-harness';

const WAIT_MS_MAX = 60_000;

let system: System;
let blocker: PoolClient;

beforeAll(async () => {
  system = await startDataPlaneSystem();
  await system.play(
    new LogFixture()
      .connected(START_MS)
      .book(START_MS + 1, '1', '99', '99.5')
      .trade(START_MS + 2, '1', '99', '1')
      .tick(START_MS + 120_000),
  );
  blocker = await system.owner.connect();
});
afterAll(async () => {
  blocker.release();
  await system.close();
});

/** Statements of the RPC process that wait for the test's lock. */
async function waitingTotal(): Promise<number> {
  const { rows } = await system.pool.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM pg_stat_activity WHERE application_name = 'data-plane' AND wait_event_type = 'Lock'
      AND datname = current_database()`,
  );
  return rows[0]?.total ?? 0;
}

/** Connections on which the RPC process cancelled a statement. */
async function cancellerTotal(): Promise<number> {
  const { rows } = await system.owner.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM pg_stat_activity WHERE application_name = 'data-plane-canceller' AND datname = current_database()`,
  );
  return rows[0]?.total ?? 0;
}

const waiting = (isSo: (total: number) => boolean) => waitUntil('statements that wait', async () => isSo(await waitingTotal()));

async function window(signal: AbortSignal): Promise<void> {
  const request = { symbol: SYMBOL, channels: [], startMs: START_MS, endMs: START_MS + 60_000, pageSize: 0, pageToken: '', asOfMs: 0 };
  for await (const message of system.call.readWindow(request, { signal })) void message;
}

async function storedRows(signal: AbortSignal): Promise<void> {
  const span = { symbol: SYMBOL, channel: marketData.Channel.BOOK, startMs: START_MS, endMs: START_MS + 60_000, asOfMs: 0 };
  for await (const message of system.call.streamStoredRows({ ...span, afterOrdinal: 0, toOrdinal: 100 }, { signal })) void message;
}

test.each([
  [
    'candles',
    (signal: AbortSignal) =>
      system.call.listCandles(
        { symbol: SYMBOL, fromMs: START_MS, toMs: START_MS + 60_000, pageSize: 0, pageToken: '', intervalMs: 60_000, asOfMs: 0 },
        { signal, deadlineMs: WAIT_MS_MAX },
      ),
  ],
  ['a window', window],
  ['stored rows', storedRows],
])('the database stops reading %s when the caller leaves', async (_what, read) => {
  const callers = Array.from({ length: 6 }, () => new AbortController());
  await blocker.query('BEGIN; LOCK TABLE log_entry IN ACCESS EXCLUSIVE MODE');
  const reads = callers.map(({ signal }) => read(signal).catch(() => undefined));
  await waiting((total) => total >= 4);
  for (const caller of callers) caller.abort();
  await Promise.all(reads);
  await waiting((total) => total === 0);
  expect(await cancellerTotal()).toBeGreaterThan(0);
  await blocker.query('ROLLBACK');
  const next = await system.call.listTrades({ symbol: SYMBOL, limit: 1 });
  expect(next.trades).toHaveLength(1);
});

test('the database stops when the time of the call is up', async () => {
  await blocker.query('BEGIN; LOCK TABLE log_entry IN ACCESS EXCLUSIVE MODE');
  const request = { symbol: SYMBOL, fromMs: START_MS, toMs: START_MS + 60_000, pageSize: 0, pageToken: '', intervalMs: 60_000, asOfMs: 0 };
  const read = expect(system.call.listCandles(request, { deadlineMs: 5_000 })).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  await waiting((total) => total === 1);
  await read;
  await waiting((total) => total === 0);
  await blocker.query('ROLLBACK');
});
