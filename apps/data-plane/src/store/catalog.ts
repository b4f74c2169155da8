import { type Channel, type SourceKind, HOUR_MS } from '@market-state/market-data';
import { selectRows } from '@market-state/postgres';
import type { Pool } from 'pg';
import { reading } from './store-failure';

/** Times are exchange times; undefined if empty. */
export interface StoredChannel {
  readonly symbol: string;
  readonly channel: Channel;
  readonly firstMs: number | undefined;
  readonly lastMs: number | undefined;
  readonly rowTotal: number;
  readonly archiveHourTotal: number;
  readonly archiveRowTotal: number;
  readonly archiveBytes: number;
}

export interface WrittenChannel {
  readonly symbol: string;
  readonly channel: Channel;
  readonly payloadBytes: number;
  readonly recordedMs: number;
  readonly archivedBytes: number;
  readonly archivedPayloadBytes: number;
  readonly hotPayloadBytes: number;
  readonly storedArchiveBytes: number;
}

export interface HotSize {
  readonly channel: Channel;
  readonly diskBytes: number;
  readonly payloadBytes: number;
}

// Counts whole hours that ended before; rows of the current hour are added by `lastHour`.
const KEPT = {
  name: 'kept-channels',
  text: `
  SELECT hour.symbol, hour.channel,
    greatest(min(hour.min_exchange_ms), coalesce(max(retention.archive_from_ms), 0)) AS first_ms, max(hour.max_exchange_ms) AS last_ms,
    sum(hour.row_total)::bigint AS row_total,
    count(file.hour_ms) AS archive_hour_total, coalesce(sum(file.row_total), 0)::bigint AS archive_row_total,
    coalesce(sum(file.byte_total), 0)::bigint AS archive_bytes
  FROM channel_hour AS hour
  LEFT JOIN retention ON retention.channel = hour.channel
  LEFT JOIN archive_file AS file ON file.symbol = hour.symbol AND file.channel = hour.channel AND file.hour_ms = hour.hour_ms
  WHERE hour.symbol = ANY($1) AND hour.hour_ms + ${HOUR_MS} <= $2 AND hour.max_exchange_ms >= coalesce(retention.archive_from_ms, 0)
  GROUP BY hour.symbol, hour.channel`,
};

/** Omits empty channels. `toMs`: only hours ended by it. Rejects as `storeFailure`. */
export function readStoredChannels(pool: Pool, symbols: readonly string[], toMs: number): Promise<StoredChannel[]> {
  return reading(selectRows<StoredChannel>(pool, { ...KEPT, values: [symbols, Math.min(toMs, Number.MAX_SAFE_INTEGER)] }));
}

/** First and last exchange time of the hour containing an instant, by channel. Rejects as `storeFailure`. */
export function readHoursAt(
  pool: Pool,
  symbols: readonly string[],
  timeMs: number,
): Promise<{ symbol: string; channel: Channel; minExchangeMs: number; maxExchangeMs: number }[]> {
  const text = 'SELECT symbol, channel, min_exchange_ms, max_exchange_ms FROM channel_hour WHERE symbol = ANY($1) AND hour_ms = $2';
  return reading(selectRows(pool, { text, values: [symbols, Math.floor(timeMs / HOUR_MS) * HOUR_MS] }));
}

const WRITTEN = {
  name: 'written-channels',
  text: `
  SELECT hour.symbol, hour.channel, coalesce(sum(hour.payload_bytes) FILTER (WHERE hour.is_recent), 0)::bigint AS payload_bytes,
    coalesce(max(hour.last_ms) - greatest(max(hour.first_ms), min(hour.hour_ms) FILTER (WHERE hour.is_recent)), 0) AS recorded_ms,
    coalesce(sum(file.byte_total) FILTER (WHERE hour.is_recent), 0)::bigint AS archived_bytes,
    coalesce(sum(hour.payload_bytes) FILTER (WHERE hour.is_recent AND file.hour_ms IS NOT NULL), 0)::bigint AS archived_payload_bytes,
    coalesce(sum(hour.payload_bytes) FILTER (WHERE hour.max_exchange_ms >= coalesce(retention.hot_from_ms, 0)), 0)::bigint
      AS hot_payload_bytes,
    coalesce(sum(file.byte_total), 0)::bigint AS stored_archive_bytes
  FROM (
    SELECT hour.*, clock.first_ms, clock.last_ms, hour.hour_ms > clock.last_ms - 25 * ${HOUR_MS}::bigint AS is_recent
      FROM channel_hour AS hour
    JOIN (SELECT symbol, min(min_exchange_ms) AS first_ms, max(max_exchange_ms) AS last_ms FROM channel_hour WHERE channel = 'control'
      GROUP BY symbol) AS clock ON clock.symbol = hour.symbol
    WHERE hour.symbol = ANY($1)
  ) AS hour
  LEFT JOIN retention ON retention.channel = hour.channel
  LEFT JOIN archive_file AS file ON file.symbol = hour.symbol AND file.channel = hour.channel AND file.hour_ms = hour.hour_ms
  GROUP BY hour.symbol, hour.channel`,
};

/** Last day of each symbol's feed clock: whole hours plus the current one. Rejects as `storeFailure`. */
export function readWrittenChannels(pool: Pool, symbols: readonly string[]): Promise<WrittenChannel[]> {
  return reading(selectRows<WrittenChannel>(pool, { ...WRITTEN, values: [symbols] }));
}

const HOT = {
  name: 'hot-sizes',
  text: `
  SELECT of.channel, coalesce((SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits
    WHERE inhparent = ('log_entry_' || of.channel)::regclass), 0)::bigint AS disk_bytes,
    coalesce((SELECT sum(payload_bytes) FROM channel_hour AS hour WHERE hour.channel = of.channel
      AND hour.max_exchange_ms >= coalesce((SELECT hot_from_ms FROM retention WHERE retention.channel = of.channel), 0)),
      0)::bigint AS payload_bytes
  FROM unnest($1::text[]) AS of(channel)`,
};

/** Rejects as `storeFailure`. */
export function readHotSizes(pool: Pool, channels: readonly Channel[]): Promise<HotSize[]> {
  return reading(selectRows<HotSize>(pool, { ...HOT, values: [channels] }));
}

export interface ReportedInstrument {
  readonly symbol: string;
  readonly venue: string;
  readonly venueInstrument: string;
  readonly contractValue: string | undefined;
  readonly sourceKind: SourceKind;
}

/** Rejects as `storeFailure`. */
export function readReportedInstruments(pool: Pool): Promise<ReportedInstrument[]> {
  const text =
    'SELECT symbol, venue, venue_instrument, trim_scale(contract_value)::text AS contract_value, source_kind FROM served_instrument';
  return reading(selectRows<ReportedInstrument>(pool, { text }));
}
