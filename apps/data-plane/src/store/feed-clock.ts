import type { Pool } from 'pg';

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
