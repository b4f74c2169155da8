import type { ArchiveWriter, Manifest } from '@market-state/archive';
import { archiveLayoutOf } from '@market-state/market-data';
import type { Pool, PoolClient } from 'pg';
import { registerFile } from '../store/archive-files';
import type { FinishedHour } from '../store/finished-hours';
import { listGapIds } from '../store/gaps';
import { HourFaultError, hourRows } from './hour-rows';
import { objectKeyOf } from './object-key';

export interface ArchiveHourDeps {
  readonly pool: Pool;
  readonly writer: ArchiveWriter;
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
  const manifest = await deps.writer.write({
    key,
    layout: archiveLayoutOf(hour.channel),
    rows: () => hourRows(deps.pool, hour),
    gapIds,
  });
  refuseOther(hour, manifest);
  await registerFile(lock, hour, manifest, deps.nowMs());
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
