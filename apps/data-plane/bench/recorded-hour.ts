import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { createArchiveWriter, createFolderStore } from '@market-state/archive';
import { createEventLog, type LogEntry } from '@market-state/event-log';
import { silentLogger } from '@market-state/logging';
import {
  encodeEvent,
  instrumentOf,
  nearestShift,
  recordingLines,
  recordingLog,
  recordingSpan,
  SHIFT_STEP_MS,
} from '@market-state/market-data';
import { createPool } from '@market-state/postgres';
import type { TestStores } from '@market-state/testing';
import type { Pool } from 'pg';
import { archiveHour } from '../src/archive/archive-pass';
import { bundledRecordings } from '../src/config';
import { recordSymbols } from '../src/recorder/record-symbol';
import type { FinishedHour } from '../src/store/archive-files';
import { createPartitions } from '../src/store/partitions';

export const SYMBOL = 'BTCUSD-PERP';
export const START_MS = Date.UTC(2026, 0, 5, 12);
export const HOUR_MS = 3_600_000;
const BATCH = 2_000;

export function openBenchPool(stores: Pick<TestStores, 'ownerUrl'>): Pool {
  const options = { logger: silentLogger(), applicationName: 'bench', statementTimeoutMs: 60_000 };
  return createPool({ url: stores.ownerUrl('data_plane'), ...options });
}

/** Looped recording up to the first entry received after the hour, which closes it. */
function* batches(): Generator<LogEntry[]> {
  const unpacked = (bundledRecordings()[SYMBOL] ?? []).map((file) => gunzipSync(readFileSync(file)));
  const lines = {
    *[Symbol.iterator]() {
      for (const bytes of unpacked) yield* recordingLines(bytes);
    },
  };
  let batch: LogEntry[] = [];
  const instrument = instrumentOf(SYMBOL);
  const firstShiftMs = nearestShift(recordingSpan(lines, instrument.venueInstrument), START_MS + SHIFT_STEP_MS);
  for (const event of recordingLog({ instrument, lines, firstShiftMs })) {
    batch.push({ epoch: event.epoch, ordinal: event.ordinal, payload: encodeEvent(event) });
    const isEnd = event.receivedTsMs >= START_MS + HOUR_MS;
    if (batch.length < BATCH && !isEnd) continue;
    yield batch;
    batch = [];
    if (isEnd) return;
  }
}

/** Writes an hour of the bundled recording to the event log and records it. */
export async function recordHour(pool: Pool, redisUrl: string): Promise<void> {
  const log = createEventLog(redisUrl, { logger: silentLogger() });
  const stop = new AbortController();
  try {
    let last = 0;
    for (const batch of batches()) {
      await log.append(SYMBOL, batch);
      last = batch.at(-1)?.ordinal ?? last;
    }
    const metrics = {
      observe(_symbol: string, { position }: { position: { ordinal: number } }): void {
        if (position.ordinal >= last) stop.abort();
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
  } finally {
    await log.close();
  }
}

/** Writes finished hours to verified archive files. */
export async function archiveHours(pool: Pool, folder: string, hours: readonly FinishedHour[]): Promise<void> {
  const lock = await pool.connect();
  const writer = createArchiveWriter(createFolderStore(folder));
  for (const hour of hours) await archiveHour({ pool, writer, nowMs: Date.now }, lock, hour);
  await writer.close();
  lock.release();
}
