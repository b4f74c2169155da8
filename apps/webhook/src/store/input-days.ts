import type { Pool } from 'pg';

const DAY_MS = 86_400_000;
/** After its end a day is kept so long, so that rules can be rehearsed on it. */
const KEPT_MS = 31 * DAY_MS;
/** An older day, which a rehearsal asks labeling for, is kept so long after it was last written to. */
const OLDER_KEPT_MS = DAY_MS;
/** A day that was made is looked at again after so long, well before it may be dropped. */
const KNOWN_MS = DAY_MS / 2;

/** Makes the days of stored inputs before rows need them, by a function of the database, and remembers those that are there. */
export interface InputDays {
  /** After this the days of these windows are there and stay for half a day at least; so are the days after them. */
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

/** Drops the days that are not kept any more, oldest first. @returns their starts, milliseconds */
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
