import type { ArchiveFileRef } from '@market-state/archive';
import type { Channel } from '@market-state/market-data';
import type { Pool } from 'pg';
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

type HourColumns = Readonly<
  Record<
    | 'hour_ms'
    | 'first_ordinal'
    | 'last_ordinal'
    | 'row_total'
    | 'duplicate_total'
    | 'min_exchange_ms'
    | 'max_exchange_ms'
    | 'hot_from_ms'
    | 'archive_from_ms',
    string
  >
> &
  Readonly<Record<'object_key' | 'sha256' | 'byte_total', string | null>> & {
    readonly symbol: string;
    readonly channel: Channel;
    readonly is_needed: boolean;
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
  const { rows } = await reading(
    pool.query<HourColumns>({ ...HOURS, values: [symbol, channels, afterOrdinal, toOrdinal, startMs, endMs, limit] }),
  );
  return rows.map(toChannelHour);
}

function toChannelHour(row: HourColumns): ChannelHour {
  const archived = archivedFileOf(row);
  return {
    symbol: row.symbol,
    channel: row.channel,
    hourMs: Number(row.hour_ms),
    firstOrdinal: Number(row.first_ordinal),
    lastOrdinal: Number(row.last_ordinal),
    rowTotal: Number(row.row_total),
    duplicateTotal: Number(row.duplicate_total),
    minExchangeMs: Number(row.min_exchange_ms),
    maxExchangeMs: Number(row.max_exchange_ms),
    file: row.is_needed ? archived : undefined,
    archived,
    hotFromMs: Number(row.hot_from_ms),
    archiveFromMs: Number(row.archive_from_ms),
  };
}

function archivedFileOf({ object_key: key, sha256, byte_total: bytes }: HourColumns): ArchivedFile | undefined {
  return key === null || sha256 === null ? undefined : { key, sha256, bytes: Number(bytes) };
}

/** Rejects as `storeFailure`. */
export async function wereDropped(pool: Pool, hours: readonly ChannelHour[]): Promise<boolean> {
  const hot = hours.filter(({ file }) => file === undefined);
  if (hot.length === 0) return false;
  const { rows } = await reading(pool.query<{ channel: string; hot_from_ms: string }>('SELECT channel, hot_from_ms FROM retention'));
  const hotFromMs = new Map(rows.map((row) => [row.channel, Number(row.hot_from_ms)]));
  return hot.some((hour) => {
    const nowMs = hotFromMs.get(hour.channel) ?? 0;
    return nowMs > hour.hotFromMs && hour.minExchangeMs < nowMs;
  });
}
