import { selectRows } from '@market-state/postgres';
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
  const text = `
    SELECT symbol, coalesce((SELECT max(max_exchange_ms) FROM channel_hour WHERE symbol = served.symbol AND channel = 'control'),
      0) AS clock_ms
    FROM unnest($1::text[]) AS served(symbol) ORDER BY clock_ms`;
  const clocks = await selectRows<{ symbol: string; clockMs: number }>(pool, { text, values: [symbols] });
  const [behind] = clocks;
  const ahead = clocks.at(-1);
  if (behind === undefined || ahead === undefined) return undefined;
  return { behindMs: behind.clockMs, symbolBehind: behind.symbol, aheadMs: ahead.clockMs };
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
  const text = 'SELECT channel, hot_from_ms, archive_from_ms FROM retention';
  const rows = await reading(selectRows<ChannelRetention & { readonly channel: string }>(pool, { text }));
  const byChannel = new Map(rows.map((row) => [row.channel, row]));
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
  const text = `
    SELECT coalesce(oldest.ms, 0) AS oldest_ms, coalesce(
      (SELECT min(first_ordinal) FROM channel_hour WHERE symbol = $1 AND channel = 'control' AND max_exchange_ms >= oldest.ms), 0) AS ordinal
    FROM (SELECT max(archive_from_ms) AS ms FROM retention) AS oldest`;
  const [first] = await reading(selectRows<FirstRetained>(pool, { text, values: [symbol] }));
  return first?.oldestMs === 0 ? undefined : first;
}
