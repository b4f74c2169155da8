import type { Queryable } from '@market-state/postgres';
import { DAY_MS, dayOf, FIGURES_KEPT_MS, FOLDED_AFTER_MS, type MinuteAnswered } from '@market-state/service-figures';

/** Reads of one class answered by one gateway process in one minute. */
export interface ReadMinute {
  readonly minuteMs: number;
  readonly rateClass: string;
  readonly counterId: string;
  readonly sinceMs: number | null;
  readonly answered: number;
  readonly failed: number;
}

const BATCH_ROWS = 10_000;

const DAY = `"minute_ms" - "minute_ms" % ${DAY_MS}`;

/** Replaces minutes already written by the same process. */
export async function writeReadMinutes(on: Queryable, minutes: readonly ReadMinute[]): Promise<void> {
  const rows = minutes.map(({ minuteMs, rateClass, counterId, sinceMs, answered, failed }) => ({
    ...{ minute_ms: minuteMs, rate_class: rateClass, counter_id: counterId, since_ms: sinceMs, answered, failed },
  }));
  await on.query({
    name: 'write_read_minutes',
    text: `INSERT INTO "read_minute" SELECT * FROM jsonb_populate_recordset(NULL::"read_minute", $1)
      ON CONFLICT ("minute_ms", "rate_class", "counter_id") DO UPDATE SET "since_ms" = EXCLUDED."since_ms",
        "answered" = EXCLUDED."answered", "failed" = EXCLUDED."failed"`,
    values: [JSON.stringify(rows)],
  });
}

export async function readsCountedSince(on: Queryable): Promise<number | null> {
  const { rows } = await on.query<{ since: number | null }>(
    `SELECT least((SELECT min("since_ms") FROM "read_day"), (SELECT min("since_ms") FROM "read_minute"))::float8 AS since`,
  );
  return rows[0]?.since ?? null;
}

export interface ReadDay {
  readonly dayMs: number;
  /** Minutes with counts from at least one gateway. */
  readonly minutes: number;
  readonly answered: number;
  readonly failed: number;
}

/** Uses daily sums where present, else minutes. */
export async function listReadDays(on: Queryable, fromMs: number, toMs: number): Promise<ReadDay[]> {
  const foldedToMs = await readFoldedTo(on);
  const { rows } = await on.query<ReadDay>({
    name: 'list_read_days',
    text: `
      SELECT "day_ms"::float8 AS "dayMs", max("minutes") AS minutes, sum("answered")::float8 AS answered, sum("failed")::float8 AS failed
      FROM "read_day" WHERE "day_ms" >= $1 AND "day_ms" < $2 GROUP BY 1
      UNION ALL
      SELECT (${DAY})::float8, count(DISTINCT "minute_ms")::int, sum("answered")::float8, sum("failed")::float8
      FROM "read_minute" WHERE "minute_ms" >= greatest($1, $3::bigint) AND "minute_ms" < $2 GROUP BY 1`,
    values: [fromMs, toMs, foldedToMs],
  });
  return rows;
}

export async function listFailedMinutes(on: Queryable, fromMs: number, toMs: number): Promise<MinuteAnswered[]> {
  const { rows } = await on.query<MinuteAnswered>({
    name: 'list_failed_minutes',
    text: `SELECT "minute_ms"::float8 AS "minuteMs", sum("answered")::int AS answered, sum("failed")::int AS failed FROM "read_minute"
      WHERE "minute_ms" IN (SELECT "minute_ms" FROM "read_minute" WHERE "failed" > 0 AND "minute_ms" >= $1 AND "minute_ms" < $2)
      GROUP BY 1`,
    values: [fromMs, toMs],
  });
  return rows;
}

/** Sums ended days and deletes minutes past their retention. Days summed by another process stay. */
export async function foldReadDays(on: Queryable, nowMs: number): Promise<void> {
  const { rows } = await on.query<{ minute: number | null }>(`SELECT min("minute_ms")::float8 AS minute FROM "read_minute"`);
  const firstMs = rows[0]?.minute ?? null;
  if (firstMs === null) return;
  for (let dayMs = Math.max(await readFoldedTo(on), dayOf(firstMs)); dayMs + DAY_MS + FOLDED_AFTER_MS <= nowMs; dayMs += DAY_MS)
    await on.query({
      text: `
        WITH minutes AS (SELECT count(DISTINCT "minute_ms")::int AS total FROM "read_minute" WHERE "minute_ms" >= $1 AND "minute_ms" < $2),
        days AS (
          INSERT INTO "read_day" ("day_ms", "rate_class", "since_ms", "minutes", "answered", "failed")
          SELECT $1, "rate_class", min("since_ms"), (SELECT total FROM minutes), sum("answered"), sum("failed")
          FROM "read_minute" WHERE "minute_ms" >= $1 AND "minute_ms" < $2 GROUP BY "rate_class" ON CONFLICT DO NOTHING)
        INSERT INTO "folded_read_day" ("day_ms") VALUES ($1) ON CONFLICT DO NOTHING`,
      values: [dayMs, dayMs + DAY_MS],
    });
  const beforeMs = Math.min(dayOf(nowMs - FIGURES_KEPT_MS), await readFoldedTo(on));
  let deleted: number | null;
  do {
    const text = `DELETE FROM "read_minute" WHERE ctid IN (SELECT ctid FROM "read_minute" WHERE "minute_ms" < $1 LIMIT $2)`;
    ({ rowCount: deleted } = await on.query(text, [beforeMs, BATCH_ROWS]));
  } while (deleted === BATCH_ROWS);
}

/** End of the newest summed day; 0 before the first. */
async function readFoldedTo(on: Queryable): Promise<number> {
  const { rows } = await on.query<{ day: number | null }>(`SELECT max("day_ms")::float8 AS day FROM "folded_read_day"`);
  const dayMs = rows[0]?.day ?? null;
  return dayMs === null ? 0 : dayMs + DAY_MS;
}
