import type { Pool } from 'pg';

/**
 * The recorded feed clock that retention goes by: that of the symbol that is furthest behind, so that nothing is dropped that is
 * young by its own clock. Undefined while any of these symbols has no tick recorded.
 */
export async function readFeedClock(pool: Pool, symbols: readonly string[]): Promise<number | undefined> {
  const { rows } = await pool.query<{ clock_ms: string | null }>(
    `SELECT (SELECT max(max_exchange_ms) FROM channel_hour WHERE symbol = served.symbol AND channel = 'control') AS clock_ms FROM unnest($1::text[]) AS served(symbol)`,
    [symbols],
  );
  const clocks = rows.flatMap(({ clock_ms }) => (clock_ms === null ? [] : [Number(clock_ms)]));
  return clocks.length === 0 || clocks.length < symbols.length ? undefined : Math.min(...clocks);
}
