import { createArchiveReader, RowChain } from '@market-state/archive';
import type { CHANNELS } from '@market-state/market-data';
import { type ArchiveBench, createRandomMarket, DAY_MS, HOUR_MS, randomOf } from './archive-fixture';
import { readEntries } from '../src/store/log-entries';

export const SYMBOLS = ['BTCUSD-PERP', 'ETHUSD-PERP'] as const;
/** For tests that gain nothing from a second symbol. */
export const ONE = [SYMBOLS[0]];
export const DAY_START_MS = Date.UTC(2026, 0, 5);
export const LAST_HOUR_MS = DAY_START_MS + 23 * HOUR_MS;
const SEED = 20_260_105;

export function market(symbol: string, startMs = LAST_HOUR_MS, tickMs = 8_000) {
  return createRandomMarket({ symbol, startMs, tickMs, random: randomOf(SEED + symbol.length), lateMsMax: 900_000 });
}

/** Records symbols (default: both) from the last hour of a day to some time after midnight. */
export async function recordOverMidnight(
  bench: ArchiveBench,
  afterMs = 60_000,
  symbols: readonly string[] = SYMBOLS,
): Promise<Map<string, string[]>> {
  const logs = new Map<string, string[]>();
  for (const symbol of symbols) {
    const entries = market(symbol).upTo(DAY_START_MS + DAY_MS + afterMs);
    logs.set(
      symbol,
      entries.map(({ payload }) => Buffer.from(payload).toString('hex')),
    );
    await bench.record(entries);
  }
  return logs;
}

/** Same, plus a few minutes around the midnight after the next. */
export async function recordTwoMidnights(bench: ArchiveBench, symbols: readonly string[] = SYMBOLS): Promise<void> {
  for (const symbol of symbols) {
    const one = market(symbol, DAY_START_MS + DAY_MS - 600_000);
    await bench.record(one.upTo(DAY_START_MS + DAY_MS + 600_000));
    one.skipTo(DAY_START_MS + 2 * DAY_MS - 600_000);
    await bench.record(one.upTo(DAY_START_MS + 2 * DAY_MS + HOUR_MS + 60_000));
  }
}

export async function hotTotal(bench: ArchiveBench): Promise<number> {
  const { rows } = await bench.pool.query<{ total: number }>('SELECT count(*)::int AS total FROM log_entry');
  return rows[0]?.total ?? -1;
}

export async function archiveFiles(bench: ArchiveBench) {
  const { rows } = await bench.pool.query<{
    symbol: string;
    channel: (typeof CHANNELS)[number];
    object_key: string;
    sha256: string;
    row_total: string;
    rows_sha256: string;
    hour_ms: string;
  }>('SELECT symbol, channel, object_key, sha256, row_total, rows_sha256, hour_ms FROM archive_file ORDER BY symbol, channel, hour_ms');
  return rows;
}

export async function entriesOf(bench: ArchiveBench, symbol: string): Promise<string[]> {
  const archive = createArchiveReader(bench.store);
  const entries = await readEntries({ pool: bench.pool, archive }, symbol, 0, Number.MAX_SAFE_INTEGER, 1_000_000);
  await archive.close();
  expect(entries.filter(({ contradictsItself }) => contradictsItself)).toEqual([]);
  return entries.map(({ payload }) => payload.toString('hex'));
}

export function chainOf(payloads: readonly (string | Buffer)[]): string {
  const chain = new RowChain();
  for (const payload of payloads) chain.add(typeof payload === 'string' ? Buffer.from(payload, 'hex') : payload);
  return chain.hex();
}
