import type { Queryable } from '@market-state/postgres';

/** Windows that end in [fromMs, toMs). */
export interface WindowSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Where packets of a span may have no stored input, newest first: before the first that is stored, and where their numbers don't follow
 * one another.
 */
export async function unstoredSpans(on: Queryable, symbol: string, { fromMs, toMs }: WindowSpan): Promise<WindowSpan[]> {
  const { rows } = await on.query<WindowSpan>(
    `WITH stored AS (SELECT window_end_ms, sequence, lag(window_end_ms) OVER ordered AS before_ms, lag(sequence) OVER ordered AS before
       FROM rule_input WHERE symbol = $1 AND window_end_ms >= $2 AND window_end_ms < $3 WINDOW ordered AS (ORDER BY window_end_ms))
     SELECT coalesce(before_ms + 1, $2)::float8 AS "fromMs", window_end_ms::float8 AS "toMs" FROM stored
     WHERE window_end_ms > $2 AND sequence IS DISTINCT FROM before + 1
     UNION ALL SELECT $2::float8, $3::float8 WHERE NOT EXISTS (SELECT FROM stored)
     ORDER BY 2 DESC`,
    [symbol, fromMs, toMs],
  );
  return rows;
}

/** Stored inputs of windows that end after `after` and before `toMs`, oldest first. */
export async function inputsOfSpan(
  on: Queryable,
  symbol: string,
  { after, toMs, limit }: { readonly after: number; readonly toMs: number; readonly limit: number },
): Promise<unknown[]> {
  const { rows } = await on.query<{ input: unknown }>(
    'SELECT input FROM rule_input WHERE symbol = $1 AND window_end_ms > $2 AND window_end_ms < $3 ORDER BY window_end_ms LIMIT $4',
    [symbol, after, toMs, limit],
  );
  return rows.map(({ input }) => input);
}
