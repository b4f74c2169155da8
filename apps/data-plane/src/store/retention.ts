import type { Pool } from 'pg';
import { reading } from './store-failure';

/** How far the symbols are recorded, by feed clock, milliseconds since the epoch. */
export interface FeedClocks {
  /** Of the symbol that is furthest behind: what retention goes by, so that nothing is dropped that is young by its own clock. */
  readonly behindMs: number;
  readonly symbolBehind: string;
  /** Of the symbol that is furthest ahead. */
  readonly aheadMs: number;
}

/** A symbol without a tick stands at 0. Undefined when there are no symbols. */
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

/** How far back a channel is kept, exchange time; 0 where nothing was dropped yet. */
interface ChannelRetention {
  /** Older rows are in the archive alone. */
  readonly hotFromMs: number;
  /** Older rows are gone. */
  readonly archiveFromMs: number;
}

const NOTHING_DROPPED: ChannelRetention = { hotFromMs: 0, archiveFromMs: 0 };

/** Retention of every channel by its internal name. */
export interface Retention {
  of(channel: string): ChannelRetention;
}

/** Rejects as `storeFailure` says. */
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

/** The first entry of a symbol's log from which on all that was recorded is kept. */
interface FirstKept {
  readonly ordinal: number;
  /** Exchange time before which something is gone. */
  readonly oldestMs: number;
}

/**
 * Undefined while nothing was dropped yet. Ticks are in every hour, so their hours are those of the log. Rejects as `storeFailure` says.
 */
export async function readFirstKept(pool: Pool, symbol: string): Promise<FirstKept | undefined> {
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
