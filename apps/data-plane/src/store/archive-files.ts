import type { ArchiveFileRef, Manifest } from '@market-state/archive';
import type { Channel } from '@market-state/market-data';
import { type Queryable, run } from '@market-state/postgres';
import type { HourId } from '../archive/object-key';
import { tables } from './tables';

/** Registers a verified file; one that is registered already stays as it is. */
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

/** Files of a channel with rows of a span of exchange time. */
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

/** Moves where the archive of a channel begins, never back and never past its hot rows. */
export async function beginArchiveAt(on: Queryable, channel: Channel, fromMs: number): Promise<void> {
  await on.query(`UPDATE retention SET archive_from_ms = greatest(archive_from_ms, least($2, hot_from_ms)) WHERE channel = $1`, [
    channel,
    fromMs,
  ]);
}

/** Moves where the hot rows of a channel begin, never back. */
export async function beginHotAt(on: Queryable, channel: Channel, fromMs: number): Promise<void> {
  await on.query(
    `INSERT INTO retention (channel, hot_from_ms, archive_from_ms) VALUES ($1, $2, 0)
     ON CONFLICT (channel) DO UPDATE SET hot_from_ms = greatest(retention.hot_from_ms, excluded.hot_from_ms)`,
    [channel, fromMs],
  );
}

/** Files of a channel whose rows are all from before its archive begins, oldest first. */
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

/** Removes what is known of an hour: its file, and the counts of its rows. */
export async function forgetHour(on: Queryable, { symbol, channel, hourMs }: HourId): Promise<void> {
  for (const table of ['archive_file', 'channel_hour'] as const) {
    await run(
      on,
      tables.deleteFrom(table).where('symbol', '=', symbol).where('channel', '=', channel).where('hour_ms', '=', String(hourMs)),
    );
  }
}

/** Deletes the candles of minutes that end at or before the time from which trades are kept at all. @returns how many */
export async function deleteOldCandles(on: Queryable): Promise<number> {
  const { rowCount } = await on.query(
    `DELETE FROM candle_minute USING retention WHERE retention.channel = 'trade'
      AND candle_minute.open_ms + 60000 <= retention.archive_from_ms`,
  );
  return rowCount ?? 0;
}
