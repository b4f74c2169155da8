import type { ObjectStore } from '@market-state/archive';
import type { Logger } from '@market-state/logging';
import { type Channel, CHANNELS } from '@market-state/market-data';
import type { Pool } from 'pg';
import { DAY_MS, partitionName } from '../store/partitions';
import type { ArchiveMetrics } from './archive-metrics';
import type { KeptDays, RetentionDays } from './archive-settings';
import { deleteOldCandles } from '../store/archive-files';
import { deleteFilesBefore } from './delete-files';
import { dropDay, isDayFault, listDaysBefore } from './drop-days';
import { type FeedClocks, readFeedClocks } from '../store/feed-clock';

export interface RetentionDeps {
  readonly pool: Pool;
  readonly store: ObjectStore;
  readonly logger: Logger;
  readonly metrics: ArchiveMetrics;
  readonly days: RetentionDays;
  /** The symbols whose clocks count. */
  readonly symbols: readonly string[];
  /** Called after a day was dropped. */
  readonly onDropped: () => void;
}

const HOUR_MS = 3_600_000;
/** A symbol may be so many days behind the others before it is told of that it holds their rows. */
const HELD_DAYS = 1;

/**
 * Drops the days of every channel that are past its hot days, oldest first and only when all their rows are in verified files,
 * and deletes files past its archive days, and candles with the trades they are of. What can't be dropped stays, and is told of. Rejects
 * when a store fails.
 */
export async function retentionPass(deps: RetentionDeps, signal: AbortSignal): Promise<void> {
  const clocks = await readFeedClocks(deps.pool, deps.symbols);
  if (clocks === undefined) return;
  for (const channel of CHANNELS) {
    if (signal.aborted) return;
    await dropChannelDays(deps, channel, deps.days[channel], clocks);
    await deleteChannelFiles(deps, channel, deps.days[channel], clocks.behindMs);
  }
  const candles = await deleteOldCandles(deps.pool);
  if (candles > 0) deps.logger.info({ candles }, 'candles of trades past their archive days were deleted');
}

async function dropChannelDays(deps: RetentionDeps, channel: Channel, { hotDays }: KeptDays, clocks: FeedClocks): Promise<void> {
  let isBlocked = false;
  for (const day of await listDaysBefore(deps.pool, channel, clocks.behindMs - hotDays * DAY_MS)) {
    const partition = partitionName(day);
    try {
      await dropDay(deps, day);
      deps.onDropped();
      deps.metrics.dropped(channel);
      deps.logger.info({ partition }, 'a day was dropped; its rows are in the archive');
    } catch (error) {
      if (!isDayFault(error)) throw error;
      isBlocked = true;
      deps.logger.error({ partition, err: error }, 'a day past its hot days cannot be dropped');
      break;
    }
  }
  const [held] = await listDaysBefore(deps.pool, channel, clocks.aheadMs - (hotDays + HELD_DAYS) * DAY_MS);
  if (held !== undefined && !isBlocked) {
    isBlocked = true;
    deps.logger.error(
      { partition: partitionName(held), symbol: clocks.symbolBehind },
      'a day past its hot days is held by a symbol whose feed clock stands far behind',
    );
  }
  deps.metrics.retentionBlocked(channel, isBlocked);
}

async function deleteChannelFiles(deps: RetentionDeps, channel: Channel, { archiveDays }: KeptDays, clockMs: number): Promise<void> {
  const beforeMs = Math.floor((clockMs - archiveDays * DAY_MS) / HOUR_MS) * HOUR_MS;
  const total = await deleteFilesBefore(deps, channel, beforeMs);
  for (let file = 0; file < total; file += 1) deps.metrics.deleted(channel);
  if (total > 0) deps.logger.info({ channel, total, beforeMs }, 'files past their archive days were deleted');
}
