import type { CreditKind } from '@market-state/pricing';
import type { Queryable } from '@market-state/postgres';
import type { Moved } from '../credits/balance-steps';
import { ms } from './tables';

/**
 * Hourly sums of tenant $1's postings not yet in `balance_hour`, of at most $2 postings (null: all). Postings are
 * serialised by the tenant's row lock, so everything after the last summed id is new. A posting counts in its own hour,
 * or in the previous posting's hour if later, so an hour followed by another is final.
 */
const NEW_SUMS = `
  cut AS (SELECT coalesce(max("last_posting_id"), 0) AS id, max("hour") AS hour FROM "balance_hour" WHERE "tenant_id" = $1),
  added AS (
    SELECT p."id", p."phase", p."operation_id", p."posted_at" FROM "posting" p
    WHERE p."tenant_id" = $1 AND p."id" > (SELECT id FROM cut) ORDER BY p."id" LIMIT $2
  ),
  placed AS MATERIALIZED (
    SELECT a."id", a."phase", a."operation_id",
      greatest(max(date_bin('1 hour', a."posted_at", 'epoch')) OVER (ORDER BY a."id" ROWS UNBOUNDED PRECEDING), (SELECT hour FROM cut)) AS hour
    FROM added a
  ),
  hours AS (SELECT hour, max("id") AS last_posting_id FROM placed GROUP BY hour),
  moved AS (
    SELECT p.hour, e."kind", -sum(e."amount") FILTER (WHERE e."account" = 'issued') AS granted,
      sum(e."amount") FILTER (WHERE e."account" = 'spent') AS charged,
      sum(e."amount") FILTER (WHERE e."account" = 'expired') AS expired,
      -sum(e."amount") FILTER (WHERE e."account" = 'holds' AND l."id" IS NULL AND p."phase" = 'release') AS returned,
      sum(e."amount") FILTER (WHERE e."account" = 'holds' AND l."id" IS NULL) AS held,
      sum(e."amount") FILTER (WHERE e."account" = 'holds' AND l."id" IS NOT NULL) AS leased
    FROM placed p JOIN "entry" e ON e."posting_id" = p."id"
      LEFT JOIN "credit_lease" l ON l."id" = p."operation_id"
    GROUP BY p.hour, e."kind"
  ),
  new_sums AS (
    SELECT h.hour, h.last_posting_id, k.kind, coalesce(m.granted, 0)::bigint AS granted, coalesce(m.charged, 0)::bigint AS charged,
      coalesce(m.expired, 0)::bigint AS expired, coalesce(m.returned, 0)::bigint AS returned, coalesce(m.held, 0)::bigint AS held,
      coalesce(m.leased, 0)::bigint AS leased
    FROM hours h CROSS JOIN unnest(enum_range(NULL::"credit_kind")) AS k(kind) LEFT JOIN moved m ON m.hour = h.hour AND m."kind" = k.kind
  )`;

const KEEP = {
  name: 'keep_balance_hours',
  text: `
    WITH ${NEW_SUMS}, kept AS (
      INSERT INTO "balance_hour" ("tenant_id", "last_posting_id", "kind", "hour", "granted", "charged", "expired", "returned", "held",
        "leased")
      SELECT $1, last_posting_id, kind, hour, granted, charged, expired, returned, held, leased FROM new_sums WHERE hour < $3
      RETURNING "last_posting_id"
    )
    SELECT (SELECT count(*) FROM added WHERE "id" <= (SELECT max("last_posting_id") FROM kept))::int AS total`,
};

/**
 * The caller must hold the advisory lock on this connection.
 * @returns number of postings summed
 */
export async function keepBalanceHours(on: Queryable, tenantId: string, untilMs: number, postingsMax: number): Promise<number> {
  const { rows } = await on.query<{ total: number }>({ ...KEEP, values: [tenantId, postingsMax, new Date(untilMs)] });
  return rows[0]?.total ?? 0;
}

const DUE = `
  SELECT t."id" FROM "tenant" t WHERE (
    SELECT p."posted_at" FROM "posting" p WHERE p."tenant_id" = t."id"
      AND p."id" > coalesce((SELECT max(b."last_posting_id") FROM "balance_hour" b WHERE b."tenant_id" = t."id"), 0)
    ORDER BY p."id" LIMIT 1
  ) < $1`;

export async function listTenantsToSum(on: Queryable, untilMs: number): Promise<string[]> {
  const { rows } = await on.query<{ id: string }>(DUE, [new Date(untilMs)]);
  return rows.map(({ id }) => id);
}

interface StepSums extends Moved {
  readonly kind: CreditKind;
  readonly stepMs: number | null;
}

const READ = {
  name: 'read_balance_steps',
  text: `
    WITH ${NEW_SUMS}, all_sums AS (
      SELECT "hour", "kind", "granted", "charged", "expired", "returned", "held", "leased" FROM "balance_hour" WHERE "tenant_id" = $1
      UNION ALL SELECT hour, kind, granted, charged, expired, returned, held, leased FROM new_sums
    ), stepped AS (
      SELECT CASE WHEN "hour" >= $3 THEN date_trunc($5, "hour", 'UTC') END AS step, "kind", "granted", "charged", "expired", "returned",
        "held", "leased"
      FROM all_sums WHERE "hour" < $4
    )
    SELECT json_build_object('stepMs', ${ms('step')}, 'kind', "kind", 'granted', sum("granted"), 'charged', sum("charged"),
      'expired', sum("expired"), 'returned', sum("returned"), 'held', sum("held"), 'leased', sum("leased")) AS sums
    FROM stepped GROUP BY step, "kind"`,
};

/** Movements in steps that begin in [from, to), and before. Steps without movement have no row. */
export async function readBalanceSteps(
  on: Queryable,
  tenantId: string,
  { fromMs, toMs, step }: { readonly fromMs: number; readonly toMs: number; readonly step: 'hour' | 'day' },
): Promise<StepSums[]> {
  const { rows } = await on.query<{ sums: StepSums }>({ ...READ, values: [tenantId, null, new Date(fromMs), new Date(toMs), step] });
  return rows.map(({ sums }) => sums);
}
