import type { ArchiveFileRef } from '@market-state/archive';
import type { Channel } from '@market-state/market-data';
import { selectRows } from '@market-state/postgres';
import type { Pool } from 'pg';
import { readRetention } from './retention';
import { reading } from './store-failure';

export interface LogSpan {
  readonly symbol: string;
  readonly channels: readonly Channel[];
  /** Exclusive. */
  readonly afterOrdinal: number;
  /** Inclusive. */
  readonly toOrdinal: number;
  /** Inclusive; default: from the first. */
  readonly startMs?: number;
  /** Exclusive; default: to the last. */
  readonly endMs?: number;
}

/** Counts are kept at write time. */
export interface ChannelHour {
  readonly symbol: string;
  readonly channel: Channel;
  readonly hourMs: number;
  readonly firstOrdinal: number;
  readonly lastOrdinal: number;
  /** Without duplicates. */
  readonly rowTotal: number;
  readonly duplicateTotal: number;
  readonly minExchangeMs: number;
  readonly maxExchangeMs: number;
  /** Set if the rows are not all hot and must be read from it. */
  readonly file: ArchiveFileRef | undefined;
  /** The hour's file, even if its rows are still hot. */
  readonly archived: ArchivedFile | undefined;
  /** Start of hot rows at lookup time, exchange time. */
  readonly hotFromMs: number;
  /** Start of retained rows, exchange time. */
  readonly archiveFromMs: number;
}

interface ArchivedFile extends ArchiveFileRef {
  readonly bytes: number;
}

const HOURS_MAX = 60;

const HOURS = {
  name: 'channel-hours',
  text: `
  SELECT hour.symbol, hour.channel, hour.hour_ms, hour.first_ordinal, hour.last_ordinal, hour.row_total, hour.duplicate_total,
    hour.min_exchange_ms, hour.max_exchange_ms, file.object_key, file.sha256, file.byte_total,
    coalesce(file.min_exchange_ms < retention.hot_from_ms, false) AS is_needed,
    coalesce(retention.hot_from_ms, 0) AS hot_from_ms, coalesce(retention.archive_from_ms, 0) AS archive_from_ms
  FROM channel_hour AS hour
  LEFT JOIN retention ON retention.channel = hour.channel
  LEFT JOIN archive_file AS file ON file.symbol = hour.symbol AND file.channel = hour.channel AND file.hour_ms = hour.hour_ms
    AND file.max_exchange_ms >= coalesce(retention.archive_from_ms, 0)
  WHERE hour.symbol = $1 AND hour.channel = ANY($2) AND hour.last_ordinal > $3 AND hour.first_ordinal <= $4
    AND hour.max_exchange_ms >= $5 AND hour.min_exchange_ms < $6
  ORDER BY hour.hour_ms, hour.first_ordinal LIMIT $7`,
};

type HourColumns = Omit<ChannelHour, 'file' | 'archived'> & {
  readonly objectKey: string | undefined;
  readonly sha256: string | undefined;
  readonly byteTotal: number | undefined;
  /** The rows are not all hot. */
  readonly isNeeded: boolean;
};

/**
 * Reads from one snapshot. An hour that starts before its channel's hot rows comes from the archive; nothing is dropped
 * before it is archived. Long spans are cut (`isWhole` false) at complete hours. Rejects as `storeFailure`.
 */
export async function planHours(pool: Pool, span: LogSpan): Promise<{ readonly hours: readonly ChannelHour[]; readonly isWhole: boolean }> {
  const hours = await lookUpHours(pool, span, HOURS_MAX);
  if (hours.length < HOURS_MAX) return { hours, isWhole: true };
  const cutMs = hours.at(-1)?.hourMs;
  return { hours: hours.filter(({ hourMs }) => hourMs !== cutMs), isWhole: false };
}

/** Oldest first. Rejects as `storeFailure`. */
export async function listStoredHours(pool: Pool, span: LogSpan): Promise<ChannelHour[]> {
  const hours = await lookUpHours(pool, span, null);
  return hours.filter(({ maxExchangeMs, archiveFromMs }) => maxExchangeMs >= archiveFromMs);
}

/** `limit` null: all. */
async function lookUpHours(pool: Pool, span: LogSpan, limit: number | null): Promise<ChannelHour[]> {
  const { symbol, channels, afterOrdinal, toOrdinal, startMs = 0, endMs = Number.MAX_SAFE_INTEGER } = span;
  const values = [symbol, channels, afterOrdinal, toOrdinal, startMs, endMs, limit];
  const rows = await reading(selectRows<HourColumns>(pool, { ...HOURS, values }));
  return rows.map(({ objectKey: key, sha256, byteTotal: bytes = 0, isNeeded, ...hour }) => {
    const archived = key === undefined || sha256 === undefined ? undefined : { key, sha256, bytes };
    return { ...hour, file: isNeeded ? archived : undefined, archived };
  });
}

/** Rejects as `storeFailure`. */
export async function wereDropped(pool: Pool, hours: readonly ChannelHour[]): Promise<boolean> {
  const hot = hours.filter(({ file }) => file === undefined);
  if (hot.length === 0) return false;
  const retention = await readRetention(pool);
  return hot.some(({ channel, hotFromMs, minExchangeMs }) => {
    const nowMs = retention.of(channel).hotFromMs;
    return nowMs > hotFromMs && minExchangeMs < nowMs;
  });
}
