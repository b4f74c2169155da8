import { linkSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { startStores } from '@market-state/testing';
import { type FinishedHour, listFinishedHours, objectKeyOf } from '../src/store/archive-files';
import { archiveHours, HOUR_MS, openBenchPool, recordHour } from './recorded-hour';

/**
 * Size of a year's archive of one symbol, and queries over it by DuckDB: one recorded hour, archived as the recorder
 * does it, stands in the folder of each hour of a year. The ratio compares a month of hourly files with the same rows
 * in one file. Run: node --import @oxc-node/core/register apps/data-plane/bench/archive-year.ts
 */

const YEAR_START_MS = Date.UTC(2025, 0, 1);
const YEAR_HOURS = 365 * 24;
const MONTH = `date BETWEEN '2025-03-01' AND '2025-03-31'`;
const GIB = 1_024 ** 3;

async function archiveAnHour(folder: string): Promise<readonly FinishedHour[]> {
  const stores = await startStores({ services: ['data_plane'] });
  const pool = openBenchPool(stores);
  try {
    await recordHour(pool, stores.redisUrl);
    const hours = await listFinishedHours(pool, [], 1_000);
    await archiveHours(pool, folder, hours);
    return hours;
  } finally {
    await pool.end();
    await stores.stop();
  }
}

/** Hard links: the year takes the space of one hour. */
function layOutYear(folder: string, year: string, hours: readonly FinishedHour[]): void {
  for (let index = 0; index < YEAR_HOURS; index += 1)
    for (const hour of hours) {
      const path = join(year, objectKeyOf({ ...hour, hourMs: YEAR_START_MS + index * HOUR_MS }));
      mkdirSync(dirname(path), { recursive: true });
      linkSync(join(folder, objectKeyOf(hour)), path);
    }
}

interface Cost {
  readonly rowTotal: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
}

async function costOf(connection: DuckDBConnection, sql: string): Promise<Cost> {
  const startedMs = performance.now();
  const before = process.cpuUsage();
  const { currentRowCount: rowTotal } = await connection.runAndReadAll(sql);
  const { user, system } = process.cpuUsage(before);
  return { rowTotal, seconds: (performance.now() - startedMs) / 1_000, cpuSeconds: (user + system) / 1_000_000 };
}

const volumeByDay = (files: string, type: string, where: string): string =>
  `SELECT date, count(*) AS trades, sum(size::${type}) AS volume FROM ${files} WHERE flags & 32 = 0 AND ${where} GROUP BY ALL`;

async function main(): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'bench-year-'));
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    const folder = join(scratch, 'hour');
    const year = join(scratch, 'year');
    const hours = await archiveAnHour(folder);
    layOutYear(folder, year, hours);
    for (const hour of hours) {
      const bytes = statSync(join(folder, objectKeyOf(hour))).size;
      console.log(
        `${hour.channel}: ${hour.rowTotal} rows and ${bytes} bytes an hour, ${((bytes * YEAR_HOURS) / GIB).toFixed(1)} GiB a year in ${YEAR_HOURS} files`,
      );
    }
    const read = (channel: string): string => `read_parquet('${year}/channel=${channel}/**/*.parquet', hive_partitioning = true)`;
    const queries: readonly (readonly [string, string])[] = [
      ['a day of trades by hour', `SELECT hour, count(*), sum(size::DOUBLE) FROM ${read('trades')} WHERE date = '2025-06-01' GROUP BY ALL`],
      ['trades of the year', `SELECT count(*) FROM ${read('trades')}`],
      ['volume by day, DOUBLE', volumeByDay(read('trades'), 'DOUBLE', 'true')],
      ['volume by day, DECIMAL(18, 8)', volumeByDay(read('trades'), 'DECIMAL(18, 8)', 'true')],
      ['volume by day, DECIMAL(38, 18)', volumeByDay(read('trades'), 'DECIMAL(38, 18)', 'true')],
      [
        'spread by day, a month',
        `SELECT date, avg(asks[1].price::DOUBLE - bids[1].price::DOUBLE) FROM ${read('book')} WHERE ${MONTH} GROUP BY ALL`,
      ],
    ];
    for (const [name, sql] of queries) {
      const { rowTotal, seconds, cpuSeconds } = await costOf(connection, sql);
      console.log(`${name}: ${rowTotal} rows, ${seconds.toFixed(1)} s, CPU ${cpuSeconds.toFixed(1)} s`);
    }
    const merged = join(scratch, 'month.parquet');
    await connection.run(`COPY (SELECT * FROM ${read('trades')} WHERE ${MONTH}) TO '${merged}' (FORMAT parquet, COMPRESSION zstd)`);
    const hourly = await costOf(connection, volumeByDay(read('trades'), 'DOUBLE', MONTH));
    const single = await costOf(connection, volumeByDay(`read_parquet('${merged}')`, 'DOUBLE', 'true'));
    console.log(
      `volume by day of a month, DOUBLE: hourly files ${hourly.cpuSeconds.toFixed(2)} s of CPU, one file ${single.cpuSeconds.toFixed(2)}; ` +
        `ratio ${(single.cpuSeconds / hourly.cpuSeconds).toFixed(3)}`,
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
    rmSync(scratch, { recursive: true, force: true });
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
