import type { Pool } from 'pg';
import { reading } from './store-failure';

export interface FeedClocks {
  /** Slowest symbol, which governs retention so that nothing recent by its own clock is dropped. */
  readonly behindMs: number;
  readonly symbolBehind: string;
  readonly aheadMs: number;
}

/** A symbol without ticks counts as 0. Undefined without symbols. */
export async function readFeedClocks(pool: Pool, symbols: readonly string[]): Promise<FeedClocks | undefined> {
  const { rows } = await pool.query<{ symbol: string; clock_ms: string }>(
    `SELECT symbol, coalesce((SELECT max(max_exchange_ms) FROM channel_hour WHERE symbol = served.symbol AND channel = 'control'),
      0) AS clock_ms
     FROM unnest($1::text[]) AS served(symbol) ORDER BY clock_ms`,
    [symbols],
  );
  const [behind] = rows;
  const ahead = rows.at(-1);
  if (behind === undefined || ahead === undefined) return undefined;
  return { behindMs: Number(behind.clock_ms), symbolBehind: behind.symbol, aheadMs: Number(ahead.clock_ms) };
}

/** Exchange times; 0 if nothing was dropped yet. */
interface ChannelRetention {
  /** Older rows are only in the archive. */
  readonly hotFromMs: number;
  /** Older rows are deleted. */
  readonly archiveFromMs: number;
}

const NOTHING_DROPPED: ChannelRetention = { hotFromMs: 0, archiveFromMs: 0 };

/** Keyed by internal channel name. */
export interface Retention {
  of(channel: string): ChannelRetention;
}

/** Rejects as `storeFailure`. */
export async function readRetention(pool: Pool): Promise<Retention> {
  const { rows } = await reading(
    pool.query<{ channel: string; hot_from_ms: string; archive_from_ms: string }>(
      'SELECT channel, hot_from_ms, archive_from_ms FROM retention',
    ),
  );
  const byChannel = new Map(
    rows.map((row) => [row.channel, { hotFromMs: Number(row.hot_from_ms), archiveFromMs: Number(row.archive_from_ms) }]),
  );
  return { of: (channel) => byChannel.get(channel) ?? NOTHING_DROPPED };
}

interface FirstRetained {
  readonly ordinal: number;
  readonly oldestMs: number;
}

/**
 * Undefined if nothing was dropped yet. Every hour has ticks, so the control channel's hours are the log's. Rejects as
 * `storeFailure`.
 */
export async function readFirstRetained(pool: Pool, symbol: string): Promise<FirstRetained | undefined> {
  const { rows } = await reading(
    pool.query<{ ordinal: string | null; oldest_ms: string | null }>(
      `SELECT oldest.ms AS oldest_ms,
         (SELECT min(first_ordinal) FROM channel_hour WHERE symbol = $1 AND channel = 'control' AND max_exchange_ms >= oldest.ms) AS ordinal
       FROM (SELECT max(archive_from_ms) AS ms FROM retention) AS oldest`,
      [symbol],
    ),
  );
  const oldestMs = Number(rows[0]?.oldest_ms ?? 0);
  return oldestMs === 0 ? undefined : { oldestMs, ordinal: Number(rows[0]?.ordinal ?? 0) };
}
