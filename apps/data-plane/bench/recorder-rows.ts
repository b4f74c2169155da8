import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { createEventLog, type EventLog, type LogEntry } from '@market-state/event-log';
import { silentLogger } from '@market-state/logging';
import { channelOf, encodeEvent, instrumentOf, recordingLines, recordingLog } from '@market-state/market-data';
import { CopyBinary, copyBinary, copyRows, type CopyValue, inTransaction } from '@market-state/postgres';
import { startStores } from '@market-state/testing';
import type { Pool, PoolClient } from 'pg';
import { bundledRecordings } from '../src/config';
import { recordSymbols } from '../src/recorder/record-symbol';
import { toBatch } from '../src/store/copy-log-entries';
import { LOG_ENTRY, type RecordedEntry, toRow } from '../src/store/log-entries';
import { createPartitions, dayOf } from '../src/store/partitions';
import { openBenchPool } from './recorded-hour';

/**
 * Throughput from event log to committed rows, relative to COPY into the same table with equal transactions: of rows in
 * memory, encoded as text on the fly (baseline of the goal), and of precomputed binary COPY data (upper bound). Run:
 * node --import @oxc-node/core/register apps/data-plane/bench/recorder-rows.ts
 */

const SYMBOL = 'BTCUSD-PERP';
const ROWS = 60_000;
const BATCH = 2_000;
const ROUNDS = 5;

/** Lazy, so that the heap stays as small as a recorder's. */
function* batches(): Generator<LogEntry[]> {
  const unpacked = (bundledRecordings()[SYMBOL] ?? []).map((file) => gunzipSync(readFileSync(file)));
  const lines = {
    *[Symbol.iterator]() {
      for (const bytes of unpacked) yield* recordingLines(bytes);
    },
  };
  let batch: LogEntry[] = [];
  for (const event of recordingLog({ instrument: instrumentOf(SYMBOL), lines, firstShiftMs: 0 })) {
    batch.push({ epoch: event.epoch, ordinal: event.ordinal, payload: encodeEvent(event) });
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
    if (event.ordinal >= ROWS) return;
  }
}

async function empty(pool: Pool): Promise<void> {
  await pool.query('TRUNCATE log_entry, gap, consumer_position, feed_connection, row_state, channel_hour, candle_minute');
  await pool.query('CHECKPOINT').catch(() => undefined);
}

/** Milliseconds for COPY only, one transaction per batch. */
async function copyOnly<B>(pool: Pool, batches: readonly B[], write: (client: PoolClient, batch: B) => Promise<number>): Promise<number> {
  await empty(pool);
  const startedMs = performance.now();
  for (const batch of batches) await inTransaction(pool, (client) => write(client, batch));
  return performance.now() - startedMs;
}

function copyAsText(client: PoolClient, entries: readonly RecordedEntry[]): Promise<number> {
  return copyRows(client, LOG_ENTRY, textRows(entries));
}

function* textRows(entries: readonly RecordedEntry[]): Generator<CopyValue[]> {
  for (const { entry, event } of entries) {
    const row = toRow(entry, event, 0);
    yield LOG_ENTRY.columns.map((column) => row[column]);
  }
}

/** Milliseconds from the first log read to the last commit. */
async function record(pool: Pool, log: EventLog, total: number): Promise<number> {
  await empty(pool);
  const stop = new AbortController();
  const startedMs = performance.now();
  let endedMs = startedMs;
  const metrics = {
    observe(_symbol: string, { position }: { position: { ordinal: number } }): void {
      if (position.ordinal < total) return;
      endedMs = performance.now();
      stop.abort();
    },
  };
  await recordSymbols(
    {
      pool,
      log,
      logger: silentLogger(),
      partitions: createPartitions(pool),
      metrics,
      onState: () => undefined,
    },
    [SYMBOL],
    stop.signal,
  );
  return endedMs - startedMs;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

async function main(): Promise<void> {
  const stores = await startStores({ services: ['data_plane'] });
  const pool = openBenchPool(stores);
  const log = createEventLog(stores.redisUrl, { logger: silentLogger() });
  try {
    const partitions = createPartitions(pool);
    const inMemory: (readonly RecordedEntry[])[] = [];
    const binary: Buffer[] = [];
    let payloadBytes = 0;
    for (const batch of batches()) {
      await log.append(SYMBOL, batch);
      const { entries, rows } = await toBatch(batch, new CopyBinary());
      await partitions.ensure(entries.map(({ event }) => ({ channel: channelOf(event), dayMs: dayOf(event.exchangeTsMs) })));
      inMemory.push(entries);
      binary.push(Buffer.from(rows.bytes));
      payloadBytes += batch.reduce((sum, { payload }) => sum + payload.byteLength, 0);
    }

    await record(pool, log, ROWS);
    const toText: number[] = [];
    const toBinary: number[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const textMs = await copyOnly(pool, inMemory, copyAsText);
      const binaryMs = await copyOnly(pool, binary, (client, rows) => copyBinary(client, LOG_ENTRY, rows));
      const recordMs = await record(pool, log, ROWS);
      toText.push(textMs / recordMs);
      toBinary.push(binaryMs / recordMs);
      const rate = (ms: number): string => Math.round((ROWS / ms) * 1_000).toLocaleString('en');
      console.log(
        `round ${round}: COPY ${rate(textMs)} rows/s, of binary bytes made beforehand ${rate(binaryMs)}, recorder ${rate(recordMs)}`,
      );
    }
    console.log(`${ROWS} rows of ${(payloadBytes / ROWS).toFixed(0)} payload bytes on average, ${BATCH} a transaction`);
    console.log(
      `recorder to COPY: median ${median(toText).toFixed(2)} (goal 0.70); to COPY of binary bytes made beforehand: median ` +
        `${median(toBinary).toFixed(2)}`,
    );
  } finally {
    await log.close();
    await pool.end();
    await stores.stop();
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
