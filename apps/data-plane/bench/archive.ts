import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { startStores } from '@market-state/testing';
import type { Pool } from 'pg';
import { type FinishedHour, listFinishedHours, objectKeyOf } from '../src/store/archive-files';
import { archiveHours, openBenchPool, recordHour } from './recorded-hour';

/**
 * Throughput from hot rows to verified archive files, relative to DuckDB's own COPY of the same rows with the same
 * settings. Run: node --import @oxc-node/core/register apps/data-plane/bench/archive.ts
 */

const ROUNDS = 3;
const MIB = 1_024 * 1_024;

async function archive(pool: Pool, folder: string, hours: readonly FinishedHour[]): Promise<number> {
  rmSync(folder, { recursive: true, force: true });
  await pool.query('TRUNCATE archive_file');
  const startedMs = performance.now();
  await archiveHours(pool, folder, hours);
  return performance.now() - startedMs;
}

/** Milliseconds for DuckDB's COPY of these files' rows from preloaded tables. */
async function copy(folder: string, scratch: string, hours: readonly FinishedHour[]): Promise<number> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  let totalMs = 0;
  for (const hour of hours) {
    await connection.run(
      `CREATE OR REPLACE TABLE hour AS SELECT * FROM read_parquet('${join(folder, objectKeyOf(hour))}', hive_partitioning = false)`,
    );
    const startedMs = performance.now();
    await connection.run(`COPY hour TO '${join(scratch, 'copy.parquet')}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 4096)`);
    totalMs += performance.now() - startedMs;
  }
  connection.closeSync();
  instance.closeSync();
  return totalMs;
}

async function main(): Promise<void> {
  const stores = await startStores({ services: ['data_plane'] });
  const pool = openBenchPool(stores);
  const scratch = mkdtempSync(join(tmpdir(), 'bench-archive-'));
  const folder = join(scratch, 'archive');
  try {
    await recordHour(pool, stores.redisUrl);
    const hours = await listFinishedHours(pool, [], 1_000);
    const rows = hours.reduce((sum, { rowTotal }) => sum + rowTotal, 0);
    const { rows: sizes } = await pool.query<{ bytes: string }>(
      'SELECT sum(payload_bytes) AS bytes FROM channel_hour WHERE hour_ms = ANY($1)',
      [hours.map(({ hourMs }) => hourMs)],
    );
    const payloadMib = Number(sizes[0]?.bytes) / MIB;
    const ratios: number[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const archiveMs = await archive(pool, folder, hours);
      const copyMs = await copy(folder, scratch, hours);
      ratios.push(copyMs / archiveMs);
      const rate = (ms: number): string =>
        `${Math.round((rows / ms) * 1_000).toLocaleString('en')} rows/s, ${((payloadMib / ms) * 1_000).toFixed(1)} MiB/s of payload`;
      console.log(`round ${round}: archive ${rate(archiveMs)}; COPY ${rate(copyMs)}; ratio ${(copyMs / archiveMs).toFixed(3)}`);
    }
    const fileMib = hours.reduce((sum, hour) => sum + statSync(join(folder, objectKeyOf(hour))).size, 0) / MIB;
    const median = [...ratios].sort((one, other) => one - other)[Math.floor(ratios.length / 2)] ?? NaN;
    console.log(
      `${rows} rows of ${hours.length} hours, ${payloadMib.toFixed(1)} MiB of payload, ${fileMib.toFixed(1)} MiB of files; median ratio ` +
        `${median.toFixed(3)}; peak memory ${Math.round(process.resourceUsage().maxRSS / 1_024)} MiB`,
    );
  } finally {
    await pool.end();
    await stores.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
