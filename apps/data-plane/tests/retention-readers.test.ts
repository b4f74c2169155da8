import { type ArchiveReader, createArchiveReader } from '@market-state/archive';
import { waitUntil } from '@market-state/testing';
import type { Pool, PoolClient } from 'pg';
import { deleteFilesBefore, dropDay, listDaysBefore } from '../src/archive/retention-pass';
import { readCandles } from '../src/store/candles';
import { readRecorded } from '../src/store/recorded';
import { type ArchiveBench, createRandomMarket, HOUR_MS, randomOf, startArchiveBench } from './archive-fixture';
import { serveInstrument } from './recorded-truth';

const SYMBOL = 'BTCUSD-PERP';
const START_MS = Date.UTC(2026, 0, 5, 21, 10);
const END_MS = START_MS + 5 * HOUR_MS;
const BORDER_MS = Date.UTC(2026, 0, 6);
const SEED = 815;

let bench: ArchiveBench;
let archive: ArchiveReader;

beforeAll(async () => {
  bench = await startArchiveBench([SYMBOL]);
  archive = createArchiveReader(bench.store);
  await serveInstrument(bench.pool, SYMBOL);
});

beforeEach(async () => {
  await bench.reset();
  await bench.record(
    createRandomMarket({ symbol: SYMBOL, startMs: START_MS, tickMs: 15_000, random: randomOf(SEED), lateMsMax: 60_000 }).upTo(END_MS),
  );
  await bench.archive();
});

afterAll(async () => {
  await archive.close();
  await bench.close();
});

function candles(pool: Pool, asOfMs?: number) {
  return readCandles(
    { pool, archive },
    { symbol: SYMBOL, intervalMs: HOUR_MS, fromMs: START_MS - (START_MS % HOUR_MS), toMs: BORDER_MS + HOUR_MS, asOfMs, timeoutMs: 5_000 },
  );
}

/** Runs `between` after a transaction's first statement that contains `words`. */
function interrupted(pool: Pool, words: string, between: () => Promise<void>): Pool {
  let isDone = false;
  const clientOf = (client: PoolClient): PoolClient =>
    new Proxy(client, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        if (name !== 'query') return value.bind(target) as unknown;
        return async (...requested: unknown[]) => {
          const answer: unknown = await (value.apply(target, requested) as Promise<unknown>);
          if (!isDone && String(requested[0]).includes(words)) {
            isDone = true;
            await between();
          }
          return answer;
        };
      },
    });
  return new Proxy(pool, {
    get(target, name) {
      if (name === 'connect') return async () => clientOf(await target.connect());
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

test('candles as of an instant have every trade, though the day of some is dropped while they are read', async () => {
  const asOfMs = BORDER_MS - 1;
  const before = await candles(bench.pool, asOfMs);
  const [day] = await listDaysBefore(bench.pool, 'trade', BORDER_MS);
  if (day === undefined) throw new Error('there is no day to drop');
  let dropping: Promise<void> | undefined;
  const pool = interrupted(bench.pool, 'first_trade_ms', async () => {
    let isDropped = false;
    dropping = dropDay({ pool: bench.pool, store: bench.store }, day).then(() => void (isDropped = true));
    const isWaiting = async () =>
      (
        await bench.pool.query('SELECT FROM pg_stat_activity WHERE wait_event_type = $1 AND query LIKE $2', [
          'Lock',
          '%drop_log_entry_day%',
        ])
      ).rowCount === 1;
    await waitUntil('dropped, or waiting for the reader', async () => isDropped || (await isWaiting()));
  });
  expect(await candles(pool, asOfMs)).toEqual(before);
  await dropping;
  expect(await candles(bench.pool, asOfMs)).toEqual(before);
  expect(before.rows.length).toBeGreaterThan(1);
});

test('a channel that is kept for less time than the others takes nothing away from what is known of them', async () => {
  const before = [await readRecorded(bench.pool, SYMBOL), (await candles(bench.pool)).wholeFromMs];
  const [day] = await listDaysBefore(bench.pool, 'book', BORDER_MS);
  if (day === undefined) throw new Error('there is no day to drop');
  await dropDay({ pool: bench.pool, store: bench.store }, day);
  expect(await deleteFilesBefore({ pool: bench.pool, store: bench.store }, 'book', BORDER_MS)).toBeGreaterThan(1);
  expect([await readRecorded(bench.pool, SYMBOL), (await candles(bench.pool)).wholeFromMs]).toEqual(before);
});
