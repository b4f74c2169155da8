import { ArchiveCorruptError, type ArchiveReader, type ArchiveWriter, type ObjectStore } from '@market-state/archive';
import type { Logger } from '@market-state/logging';
import type { Pool, PoolClient } from 'pg';
import { newestWindowEnd } from '../store/archive-files';
import { archiveHour } from './archive-hour';
import type { ArchiveMetrics } from './archive-metrics';
import type { ArchivedKind } from './archived-kind';
import { deleteFiles } from './delete-files';
import { dropHours, HourNotArchivedError } from './drop-hours';
import { nextFinishedHour } from './finished-hours';
import { indexArchivedHour } from './index-archived';

/** How long rows are kept, days of window time. */
export interface KeptDays {
  /** In the database; 0: until they are archived and can't be labelled again. */
  readonly hotDays: number;
  /** In the archive. */
  readonly archiveDays: number;
}

export interface ArchiveSymbolDeps {
  readonly pool: Pool;
  readonly store: ObjectStore;
  readonly writer: ArchiveWriter;
  readonly reader: Pick<ArchiveReader, 'read'>;
  readonly days: KeptDays;
  /** Packets of so long before the newest one stay in the database: after a restart the log may give them again, and they must be found. */
  readonly labelledAgainMs: number;
  readonly metrics: ArchiveMetrics;
  readonly logger: Logger;
}

const DAY_MS = 86_400_000;

/**
 * Archives every finished hour of a symbol, then removes what is past its days. What can't be archived or removed as it is stays,
 * and is told of. Rejects when a store fails.
 */
export async function archiveSymbol(
  deps: ArchiveSymbolDeps,
  lock: PoolClient,
  kind: ArchivedKind,
  symbol: string,
  signal: AbortSignal,
): Promise<void> {
  const { pool, metrics, logger } = deps;
  try {
    for (;;) {
      const hourMs = await nextFinishedHour(pool, kind, symbol);
      if (hourMs === undefined || signal.aborted) break;
      const manifest = await archiveHour(deps, lock, kind, symbol, hourMs);
      metrics.archived(kind.channel, manifest);
      logger.info({ key: manifest.object_key, rows: manifest.rows, bytes: manifest.bytes }, 'an hour is archived');
    }
    await endDays(deps, kind, symbol);
    while (kind.table === 'packet' && !signal.aborted && (await indexArchivedHour(pool, deps.reader, symbol)));
    metrics.blocked(kind.channel, symbol, false);
  } catch (error) {
    if (!(error instanceof ArchiveCorruptError) && !(error instanceof HourNotArchivedError)) throw error;
    metrics.blocked(kind.channel, symbol, true);
    logger.error(
      { symbol, channel: kind.channel, err: error },
      'the archive needs somebody to look at it; what is in the database stays there',
    );
  }
}

async function endDays(
  { pool, store, days, labelledAgainMs, logger }: ArchiveSymbolDeps,
  kind: ArchivedKind,
  symbol: string,
): Promise<void> {
  const newestMs = await newestWindowEnd(pool, symbol);
  if (newestMs === undefined) return;
  const dropped = await dropHours(pool, store, kind, symbol, newestMs - Math.max(days.hotDays * DAY_MS, labelledAgainMs));
  if (dropped > 0) logger.info({ symbol, channel: kind.channel, hours: dropped }, 'hours left the database; they are in the archive');
  const deleted = await deleteFiles(pool, store, kind, symbol, newestMs - days.archiveDays * DAY_MS);
  if (deleted > 0) logger.info({ symbol, channel: kind.channel, files: deleted }, 'files past their archive days were deleted');
}
