import type { Queryable } from '@market-state/postgres';

/** Window end of the first stored input of a span, or undefined. */
export async function firstInputAfter(on: Queryable, symbol: string, fromMs: number, toMs: number): Promise<number | undefined> {
  const { rows } = await on.query<{ first: number | null }>(
    'SELECT min(window_end_ms)::float8 AS first FROM rule_input WHERE symbol = $1 AND window_end_ms >= $2 AND window_end_ms < $3',
    [symbol, fromMs, toMs],
  );
  return rows[0]?.first ?? undefined;
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
