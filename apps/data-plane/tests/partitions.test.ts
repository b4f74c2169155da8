import { silentLogger } from '@market-state/logging';
import { createPool } from '@market-state/postgres';
import { startStores, type TestStores } from '@market-state/testing';
import type { Pool } from 'pg';
import { createPartitions, dayOf, listPartitions, partitionName } from '../src/store/partitions';
import { DAY_MS } from '@market-state/market-data';

const DAY = Date.UTC(2026, 6, 31);

let stores: TestStores;
let pool: Pool;

beforeEach(async () => {
  stores = await startStores({ services: ['data_plane'] });
  pool = createPool({ url: stores.postgresUrl('data_plane'), logger: silentLogger(), applicationName: 'test', statementTimeoutMs: 3_000 });
});

afterEach(async () => {
  await pool.end();
  await stores.stop();
});

function insert(channel: string, exchangeTsMs: number, ordinal: number): Promise<unknown> {
  return pool.query(
    `INSERT INTO log_entry (symbol, ordinal, epoch, channel, pass, exchange_ts_ms, received_ts_ms, flags, payload)
      VALUES ('BTCUSD-PERP', $1, 1, $2, 1, $3, $3, 0, '')`,
    [ordinal, channel, exchangeTsMs],
  );
}

test('a day is made with the day after it, for the channel that needs it alone', async () => {
  await createPartitions(pool).ensure([{ channel: 'trade', dayMs: DAY }]);
  expect(await listPartitions(pool)).toEqual([
    { channel: 'trade', dayMs: DAY },
    { channel: 'trade', dayMs: DAY + DAY_MS },
  ]);
  await insert('trade', DAY, 1);
  await insert('trade', DAY + 2 * DAY_MS - 1, 2);
  await expect(insert('trade', DAY + 2 * DAY_MS, 3)).rejects.toMatchObject({ code: '23514' });
  await expect(insert('book', DAY, 4)).rejects.toMatchObject({ code: '23514' });
});

test('partitions are named after channel and date', () => {
  expect(partitionName({ channel: 'liquidation', dayMs: DAY })).toBe('log_entry_liquidation_20260731');
  expect([dayOf(DAY), dayOf(DAY + DAY_MS - 1), dayOf(DAY - 1)]).toEqual([DAY, DAY, DAY - DAY_MS]);
});

test('creating a day does not block readers and writers of other days', async () => {
  const partitions = createPartitions(pool);
  await partitions.ensure([{ channel: 'trade', dayMs: DAY }]);
  const [reader, writer] = [await pool.connect(), await pool.connect()];
  await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await reader.query('SELECT count(*) FROM log_entry');
  await writer.query('BEGIN');
  await writer.query(
    `INSERT INTO log_entry (symbol, ordinal, epoch, channel, pass, exchange_ts_ms, received_ts_ms, flags, payload)
      VALUES ('X', 1, 1, 'trade', 1, ${DAY}, ${DAY}, 0, '')`,
  );
  await partitions.ensure([{ channel: 'trade', dayMs: DAY + 2 * DAY_MS }]);
  await reader.query('SELECT count(*) FROM log_entry');
  await writer.query('COMMIT');
  await reader.query('COMMIT');
  reader.release();
  writer.release();
  expect((await listPartitions(pool)).map(({ dayMs }) => (dayMs - DAY) / DAY_MS)).toEqual([0, 1, 2, 3]);
});

test('two processes that need the same day at once both have it', async () => {
  const days = Array.from({ length: 5 }, (_, index) => ({ channel: 'book', dayMs: DAY + index * DAY_MS }) as const);
  await Promise.all([createPartitions(pool).ensure(days), createPartitions(pool).ensure([...days].reverse())]);
  expect(await listPartitions(pool)).toHaveLength(6);
});

test('a partition that was dropped is made again when what is known is forgotten', async () => {
  const partitions = createPartitions(pool);
  await partitions.ensure([{ channel: 'book', dayMs: DAY }]);
  const owner = createPool({ url: stores.ownerUrl('data_plane'), logger: silentLogger(), applicationName: 'owner' });
  await owner.query(`DROP TABLE ${partitionName({ channel: 'book', dayMs: DAY })}`);
  await owner.end();
  await partitions.ensure([{ channel: 'book', dayMs: DAY }]);
  await expect(insert('book', DAY, 1)).rejects.toMatchObject({ code: '23514' });
  partitions.forget();
  await partitions.ensure([{ channel: 'book', dayMs: DAY }]);
  await insert('book', DAY, 1);
});
