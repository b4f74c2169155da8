import { type RuleInput, toRuleInput } from '@market-state/alert-rules';
import type { labeling } from '@market-state/contracts';
import type { Packet } from '@market-state/labeler';
import type { Logger } from '@market-state/logging';
import type { Queryable } from '@market-state/postgres';
import type { Pool } from 'pg';

export function inputOf({ body, sequence, symbol }: labeling.PacketRecord): RuleInput {
  return toRuleInput(JSON.parse(body.toString()) as Packet, sequence, symbol);
}

/** Skips inputs without a daily partition; keeps the input of a window already stored. */
export async function insertInputs(on: Queryable, inputs: readonly RuleInput[]): Promise<void> {
  if (inputs.length === 0) return;
  await on.query(
    `INSERT INTO rule_input (symbol, sequence, window_end_ms, input)
     SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::jsonb[]) ON CONFLICT (symbol, window_end_ms) DO NOTHING`,
    [
      inputs.map(({ symbol }) => symbol),
      inputs.map(({ sequence }) => sequence),
      inputs.map(({ window_end_ms: windowEndMs }) => windowEndMs),
      inputs.map((input) => JSON.stringify(input)),
    ],
  );
}

export async function recentInputsOf(on: Queryable, symbol: string, upToMs: number, limit: number): Promise<unknown[]> {
  const { rows } = await on.query<{ input: unknown }>(
    'SELECT input FROM rule_input WHERE symbol = $1 AND window_end_ms <= $2 ORDER BY window_end_ms DESC LIMIT $3',
    [symbol, upToMs, limit],
  );
  return rows.map(({ input }) => input).reverse();
}

/** Windows that end in [fromMs, toMs). */
export interface WindowSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Sub-spans that may lack stored inputs, newest first: before the first stored one and at gaps in packet numbers. */
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

const DAY_MS = 86_400_000;
/** Retention of a day after its end, for rehearsals. */
const KEPT_MS = 31 * DAY_MS;
/** Retention of an older day, loaded for a rehearsal, after its last write. */
const OLDER_KEPT_MS = DAY_MS;
/** Time for which an existing partition is cached, well below the retention of a loaded day. */
const KNOWN_MS = DAY_MS / 2;

export interface InputDays {
  /** For the days of these windows and the days after, at least half a day ahead. */
  ensure(windowEndsMs: Iterable<number>): Promise<void>;
}

export function createInputDays(pool: Pool, clock: () => number): InputDays {
  const knownUntilMs = new Map<number, number>();
  return {
    async ensure(windowEndsMs) {
      const nowMs = clock();
      const days = new Set([...windowEndsMs].flatMap((endMs) => [startOfDay(endMs), startOfDay(endMs) + DAY_MS]));
      for (const dayMs of days) {
        if ((knownUntilMs.get(dayMs) ?? 0) > nowMs) continue;
        const keptUntilMs = Math.max(dayMs + DAY_MS + KEPT_MS, nowMs + OLDER_KEPT_MS);
        await pool.query('SELECT make_rule_input_day($1, $2)', [dayMs, keptUntilMs]);
        knownUntilMs.set(dayMs, nowMs + KNOWN_MS);
      }
    },
  };
}

const startOfDay = (windowEndMs: number): number => Math.floor(windowEndMs / DAY_MS) * DAY_MS;

/** Creates the partitions of today and tomorrow and drops expired ones. */
export async function keepInputDays({
  pool,
  inputDays,
  clock,
  logger,
}: {
  readonly pool: Pool;
  readonly inputDays: InputDays;
  readonly clock: () => number;
  readonly logger: Logger;
}): Promise<void> {
  const nowMs = clock();
  await inputDays.ensure([nowMs]);
  const dropped = await dropPastInputDays(pool, nowMs);
  if (dropped.length > 0)
    logger.info({ days: dropped.map((dayMs) => new Date(dayMs).toISOString().slice(0, 10)) }, 'expired input days dropped');
}

export async function dropPastInputDays(pool: Pool, nowMs: number): Promise<number[]> {
  const { rows } = await pool.query<{ dayMs: number }>(
    'SELECT day_ms::float8 AS "dayMs" FROM rule_input_day WHERE kept_until_ms <= $1 ORDER BY day_ms',
    [nowMs],
  );
  const dropped: number[] = [];
  for (const { dayMs } of rows) {
    const answer = await pool.query<{ is_dropped: boolean }>('SELECT drop_rule_input_day($1, $2) AS is_dropped', [dayMs, nowMs]);
    if (answer.rows[0]?.is_dropped === true) dropped.push(dayMs);
  }
  return dropped;
}
