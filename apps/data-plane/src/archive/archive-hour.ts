import { type Manifest, type ObjectStore, writeArchiveFile } from '@market-state/archive';
import type { Pool, PoolClient } from 'pg';
import { layoutOf } from './archive-columns';
import type { FinishedHour } from './finished-hours';
import { HourFaultError, hourRows } from './hour-rows';
import { objectKeyOf } from './object-key';

export interface ArchiveHourDeps {
  readonly pool: Pool;
  readonly store: ObjectStore;
  readonly nowMs: () => number;
}

/**
 * Archives one finished hour: file, read back, manifest, and last of all the row in `archive_file`, written over the connection
 * that holds the archiver's lock: whoever lost the lock writes none. Done again after a stop at any place it ends the same.
 * @throws {HourFaultError} when rows and counts don't agree
 * @throws {ArchiveCorruptError} when the store does not give back what was written
 */
export async function archiveHour(deps: ArchiveHourDeps, lock: PoolClient, hour: FinishedHour): Promise<Manifest> {
  const key = objectKeyOf(hour);
  const gapIds = await listGapIds(deps.pool, hour);
  const manifest = await writeArchiveFile(deps.store, {
    key,
    layout: layoutOf(hour.channel),
    rows: () => hourRows(deps.pool, hour),
    gapIds,
  });
  refuseOther(hour, manifest);
  await lock.query(
    `INSERT INTO archive_file (symbol, channel, hour_ms, object_key, row_total, byte_total, sha256, rows_sha256, first_ordinal,
      last_ordinal,
       min_exchange_ms, max_exchange_ms, gap_ids, verified_at_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT DO NOTHING`,
    [
      hour.symbol,
      hour.channel,
      hour.hourMs,
      key,
      manifest.rows,
      manifest.bytes,
      manifest.sha256,
      manifest.rows_sha256,
      manifest.first_ordinal,
      manifest.last_ordinal,
      manifest.min_time_ms,
      manifest.max_time_ms,
      manifest.gap_ids,
      Math.floor(deps.nowMs()),
    ],
  );
  return manifest;
}

function refuseOther(hour: FinishedHour, manifest: Manifest): void {
  const isOfHour =
    manifest.rows === hour.rowTotal &&
    manifest.first_ordinal === hour.firstOrdinal &&
    manifest.last_ordinal === hour.lastOrdinal &&
    manifest.min_time_ms === hour.minExchangeMs &&
    manifest.max_time_ms === hour.maxExchangeMs;
  if (!isOfHour) throw new HourFaultError(`the file that stands at ${manifest.object_key} holds other rows than the hour`);
}

/** Gaps of the channel, or of all, that overlap the hour's rows. */
async function listGapIds(pool: Pool, { symbol, channel, minExchangeMs, maxExchangeMs }: FinishedHour): Promise<string[]> {
  const { rows } = await pool.query<{ gap_id: string }>(
    `SELECT gap_id FROM gap WHERE symbol = $1 AND (channel IS NULL OR channel = $2 OR $2 = 'control') AND start_ms <= $4
      AND (end_ms = 0 OR greatest(start_ms, end_ms) >= $3)
     ORDER BY start_ms, gap_id`,
    [symbol, channel, minExchangeMs, maxExchangeMs],
  );
  return rows.map(({ gap_id }) => gap_id);
}
