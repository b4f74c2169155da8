import { LOG_START } from '@market-state/event-log';
import { silentLogger } from '@market-state/logging';
import { CopyBinary, createPool } from '@market-state/postgres';
import { startStores, type TestStores } from '@market-state/testing';
import type { Pool } from 'pg';
import type { SymbolBatch } from '../src/recorder/commit-batch';
import { createCommitTogether } from '../src/recorder/record-symbol';
import { toBatch } from '../src/store/copy-log-entries';
import { createPartitions } from '../src/store/partitions';
import { readPosition, RECORDER } from '../src/store/recorded';
import { FIRST_ROW_STATE } from '../src/store/row-state';
import { LogFixture, START_MS } from './log-fixture';

let stores: TestStores;
let pool: Pool;

beforeEach(async () => {
  stores = await startStores({ services: ['data_plane'] });
  pool = createPool({ url: stores.postgresUrl('data_plane'), logger: silentLogger(), applicationName: 'test' });
});

afterEach(async () => {
  await pool.end();
  await stores.stop();
});

async function batchOf(symbol: string, tradeIds: readonly string[]): Promise<SymbolBatch> {
  await readPosition(pool, RECORDER, symbol);
  const fixture = new LogFixture(symbol).connected(START_MS);
  for (const id of tradeIds) fixture.trade(START_MS + 100, id, '100', '1');
  const batch = await toBatch(fixture.take(), new CopyBinary());
  return { symbol, batch, place: { position: LOG_START, state: FIRST_ROW_STATE } };
}

async function recordedRows(): Promise<readonly [symbol: string, rows: number][]> {
  const { rows } = await pool.query<{ symbol: string; rows: number }>(
    'SELECT symbol, count(*)::int AS rows FROM log_entry GROUP BY symbol ORDER BY symbol',
  );
  return rows.map(({ symbol, rows: total }) => [symbol, total]);
}

test('batches of several symbols are one transaction, with each its own position', async () => {
  const commit = createCommitTogether({ pool, partitions: createPartitions(pool) });
  const batches = [await batchOf('A-PERP', ['1', '2']), await batchOf('B-PERP', ['1'])];
  const committed = await Promise.all(batches.map(commit));
  expect(committed.map(({ rows, position }) => [rows, position.ordinal])).toEqual([
    [3, 3],
    [2, 2],
  ]);
  const { rows } = await pool.query<{ total: number }>('SELECT count(DISTINCT xmin::text)::int AS total FROM log_entry');
  expect(rows[0]?.total).toBe(1);
  expect(await readPosition(pool, RECORDER, 'A-PERP')).toEqual({ epoch: 1, ordinal: 3 });
  expect(await readPosition(pool, RECORDER, 'B-PERP')).toEqual({ epoch: 1, ordinal: 2 });
});

test('a symbol that another recorder moved, or whose venue repeats a trade, holds up no other', async () => {
  const commit = createCommitTogether({ pool, partitions: createPartitions(pool) });
  const batches = [await batchOf('A-PERP', ['1']), await batchOf('B-PERP', ['7', '7']), await batchOf('C-PERP', ['1'])];
  await pool.query(`UPDATE consumer_position SET epoch = 9, ordinal = 9 WHERE symbol = 'A-PERP'`);
  const [moved, repeated, good] = await Promise.allSettled(batches.map(commit));
  expect(moved).toMatchObject({ status: 'rejected', reason: { name: 'PositionMovedError' } });
  expect(repeated).toMatchObject({ status: 'fulfilled', value: { position: { ordinal: 3 } } });
  expect(good).toMatchObject({ status: 'fulfilled', value: { position: { ordinal: 2 } } });
  expect(await recordedRows()).toEqual([
    ['B-PERP', 3],
    ['C-PERP', 2],
  ]);
});
