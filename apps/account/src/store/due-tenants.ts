import type { Queryable } from '@market-state/postgres';

const DUE = `
  SELECT "tenant_id" FROM "credit_hold" WHERE "ended_at" IS NULL AND "release_at" <= $1
  UNION SELECT "tenant_id" FROM "credit_grant" WHERE "left" > 0 AND "expires_at" <= $1
  UNION SELECT "id" FROM "tenant" WHERE "renewal" <> 'none' AND NOT "disabled" AND ("period_to" IS NULL OR "period_to" <= $1)
    AND ("plan_until" IS NULL OR "plan_until" > $1)
  LIMIT $2`;

/** Ids of tenants whose credits time alone has changed: reserved past their time, granted and expired, or of a period that has begun. */
export async function listDueTenants(on: Queryable, nowMs: number, tenantsMax: number): Promise<string[]> {
  const { rows } = await on.query<{ tenant_id: string }>(DUE, [new Date(nowMs), tenantsMax]);
  return rows.map((row) => row.tenant_id);
}
