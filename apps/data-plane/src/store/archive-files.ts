import type { ArchiveFileRef, Manifest } from '@market-state/archive';
import type { Channel } from '@market-state/market-data';
import { type Queryable, run, selectRows } from '@market-state/postgres';
import type { Pool } from 'pg';
import { tables } from './tables';
import { toPublicChannel } from '../window/public-channels';

export interface FinishedHour extends HourId {
  /** Includes duplicates. */
  readonly rowTotal: number;
  readonly firstOrdinal: number;
  readonly lastOrdinal: number;
  readonly minExchangeMs: number;
  readonly maxExchangeMs: number;
}

/** A feed that returns sooner may continue the hour in which it stopped. */
const ABSENCE_MS = 2 * 3_600_000;

// The feed clock never goes backwards: an hour is complete once a later one has entries, or after its symbol was
// unserved for two hours.
const FINISHED = `
  SELECT symbol, channel, hour_ms, row_total + duplicate_total AS row_total, first_ordinal, last_ordinal, min_exchange_ms, max_exchange_ms
  FROM channel_hour AS hour
  WHERE (hour_ms < (SELECT max(hour_ms) FROM channel_hour AS later WHERE later.symbol = hour.symbol)
      OR symbol <> ALL ($2) AND hour_ms + ${ABSENCE_MS} < (SELECT max(hour_ms) FROM channel_hour AS later WHERE later.symbol = ANY ($2)))
    AND NOT EXISTS (SELECT FROM archive_file AS file WHERE file.symbol = hour.symbol AND file.channel = hour.channel
    AND file.hour_ms = hour.hour_ms)
  ORDER BY hour_ms, symbol, channel LIMIT $1`;

export function listFinishedHours(pool: Pool, served: readonly string[], limit: number): Promise<FinishedHour[]> {
  return selectRows<FinishedHour>(pool, { text: FINISHED, values: [limit, served] });
}

interface HourId {
  readonly symbol: string;
  readonly channel: Channel;
  readonly hourMs: number;
}

/** Hive layout, readable by DuckDB, Spark, Trino, ClickHouse and Athena. */
export function objectKeyOf({ symbol, channel, hourMs }: HourId): string {
  const hour = new Date(hourMs).toISOString();
  return `channel=${toPublicChannel(channel)}/symbol=${symbol}/date=${hour.slice(0, 10)}/hour=${hour.slice(11, 13)}/part.parquet`;
}

export async function registerFile(
  on: Queryable,
  { symbol, channel, hourMs }: HourId,
  manifest: Manifest,
  verifiedAtMs: number,
): Promise<void> {
  await run(
    on,
    tables
      .insertInto('archive_file')
      .values({
        symbol,
        channel,
        hour_ms: String(hourMs),
        object_key: manifest.object_key,
        row_total: String(manifest.rows),
        byte_total: String(manifest.bytes),
        sha256: manifest.sha256,
        rows_sha256: manifest.rows_sha256,
        first_ordinal: String(manifest.first_ordinal),
        last_ordinal: String(manifest.last_ordinal),
        min_exchange_ms: String(manifest.min_time_ms),
        max_exchange_ms: String(manifest.max_time_ms),
        gap_ids: [...manifest.gap_ids],
        verified_at_ms: String(Math.floor(verifiedAtMs)),
      })
      .onConflict((conflict) => conflict.doNothing()),
  );
}

export async function listFilesOf(on: Queryable, channel: Channel, fromMs: number, toMs: number): Promise<ArchiveFileRef[]> {
  const { rows } = await run(
    on,
    tables
      .selectFrom('archive_file')
      .select(['object_key', 'sha256'])
      .where('channel', '=', channel)
      .where('max_exchange_ms', '>=', String(fromMs))
      .where('min_exchange_ms', '<', String(toMs)),
  );
  return rows.map(({ object_key: key, sha256 }) => ({ key, sha256 }));
}

/** At most to the start of the hot rows. */
export async function beginArchiveAt(on: Queryable, channel: Channel, fromMs: number): Promise<void> {
  await on.query(`UPDATE retention SET archive_from_ms = greatest(archive_from_ms, least($2, hot_from_ms)) WHERE channel = $1`, [
    channel,
    fromMs,
  ]);
}

export async function beginHotAt(on: Queryable, channel: Channel, fromMs: number): Promise<void> {
  await on.query(
    `INSERT INTO retention (channel, hot_from_ms, archive_from_ms) VALUES ($1, $2, 0)
     ON CONFLICT (channel) DO UPDATE SET hot_from_ms = greatest(retention.hot_from_ms, excluded.hot_from_ms)`,
    [channel, fromMs],
  );
}

export async function listEndedFiles(on: Queryable, channel: Channel, limit: number): Promise<(HourId & { readonly key: string })[]> {
  const { rows } = await run(
    on,
    tables
      .selectFrom('archive_file')
      .innerJoin('retention', 'retention.channel', 'archive_file.channel')
      .select(['archive_file.symbol', 'archive_file.hour_ms', 'archive_file.object_key'])
      .where('archive_file.channel', '=', channel)
      .whereRef('archive_file.max_exchange_ms', '<', 'retention.archive_from_ms')
      .orderBy('archive_file.hour_ms')
      .limit(limit),
  );
  return rows.map(({ symbol, hour_ms: hourMs, object_key: key }) => ({ symbol, channel, hourMs: Number(hourMs), key }));
}

export async function forgetHour(on: Queryable, { symbol, channel, hourMs }: HourId): Promise<void> {
  for (const table of ['archive_file', 'channel_hour'] as const) {
    await run(
      on,
      tables.deleteFrom(table).where('symbol', '=', symbol).where('channel', '=', channel).where('hour_ms', '=', String(hourMs)),
    );
  }
}

/** Deletes candles older than the trade retention. @returns their number */
export async function deleteOldCandles(on: Queryable): Promise<number> {
  const { rowCount } = await on.query(
    `DELETE FROM candle_minute USING retention WHERE retention.channel = 'trade'
      AND candle_minute.open_ms + 60000 <= retention.archive_from_ms`,
  );
  return rowCount ?? 0;
}
