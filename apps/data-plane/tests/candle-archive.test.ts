import { type ArchiveReader, createArchiveReader } from '@market-state/archive';
import fc from 'fast-check';
import type { CandleSpan } from '@market-state/live-market';
import { readCandles } from '../src/store/candles';
import { type ArchiveBench, createRandomMarket, HOUR_MS, randomOf, startArchiveBench } from './archive-fixture';
import { serveInstrument } from './recorded-truth';

const SYMBOL = 'BTCUSD-PERP';
const START_MS = Date.UTC(2026, 0, 5, 21, 10);
const END_MS = START_MS + 5 * HOUR_MS;
const BORDER_MS = Date.UTC(2026, 0, 6);
const SEED = 4_711;

let bench: ArchiveBench;
let archive: ArchiveReader;

beforeAll(async () => {
  bench = await startArchiveBench([SYMBOL]);
  archive = createArchiveReader(bench.store);
  await serveInstrument(bench.pool, SYMBOL);
  await bench.record(
    createRandomMarket({ symbol: SYMBOL, startMs: START_MS, tickMs: 15_000, random: randomOf(SEED), lateMsMax: 3 * HOUR_MS }).upTo(END_MS),
  );
  await bench.archive();
});

afterAll(async () => {
  await archive.close();
  await bench.close();
});

function candles(asOfMs: number, intervalMs: number): Promise<CandleSpan> {
  const fromMs = Math.floor((START_MS - 4 * HOUR_MS) / intervalMs) * intervalMs;
  return readCandles(
    { pool: bench.pool, archive },
    { symbol: SYMBOL, intervalMs, fromMs, toMs: Math.ceil(END_MS / intervalMs) * intervalMs, asOfMs, timeoutMs: 5_000 },
  );
}

test('as of any instant candles stay the same when the rows that they need are in the archive alone', async () => {
  const instants = fc.sample(
    fc.tuple(fc.integer({ min: START_MS, max: END_MS + HOUR_MS }), fc.constantFrom(60_000, 900_000, HOUR_MS, 24 * HOUR_MS)),
    { numRuns: 25, seed: SEED },
  );
  const hot = [];
  for (const [asOfMs, intervalMs] of instants) hot.push(await candles(asOfMs, intervalMs));
  expect(hot.some(({ rows }) => rows.length > 50)).toBe(true);
  await bench.pool.query(`INSERT INTO retention VALUES ('trade', $1, 0)`, [BORDER_MS]);
  const { rowCount } = await bench.owner.query(`DELETE FROM log_entry WHERE channel = 'trade' AND exchange_ts_ms < $1`, [BORDER_MS]);
  expect(rowCount).toBeGreaterThan(100);
  for (const [index, [asOfMs, intervalMs]] of instants.entries()) expect(await candles(asOfMs, intervalMs)).toEqual(hot[index]);
});
