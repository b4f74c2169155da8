import type { Queryable } from '@market-state/postgres';
import { periodAt } from '../credits/calendar';
import type { Renewal } from '../credits';

/** The tenant behind a credential, and the account when it is a session. */
export interface Me {
  readonly tenantName: string;
  readonly planId: string | null;
  /** Milliseconds since the epoch; null: the plan's credits are not given again. */
  readonly renewsTsMs: number | null;
  readonly account: { readonly email: string; readonly createdTsMs: number; readonly isEmailVerified: boolean } | null;
}

interface MeRow {
  readonly name: string;
  readonly plan_id: string | null;
  readonly renewal: Renewal;
  readonly billing_anchor: Date | null;
  readonly plan_until: Date | null;
  readonly email: string | null;
  readonly created_at: Date | null;
  readonly email_verified_at: Date | null;
}

/** Null when there is no such tenant, or `accountId` (null for a key) is none of its accounts. */
export async function readMe(db: Queryable, tenantId: string, accountId: string | null, nowMs: number): Promise<Me | null> {
  const { rows } = await db.query<MeRow>(
    `SELECT t.name, t.plan_id, t.renewal::text AS renewal, t.billing_anchor, t.plan_until, a.email, a.created_at, a.email_verified_at
     FROM tenant t LEFT JOIN account a ON a.tenant_id = t.id AND a.id = $2 WHERE t.id = $1`,
    [tenantId, accountId],
  );
  const [row] = rows;
  if (row === undefined || (accountId !== null && row.email === null)) return null;
  return {
    tenantName: row.name,
    planId: row.plan_id,
    renewsTsMs: renewalOf(row, nowMs),
    account:
      row.email === null || row.created_at === null
        ? null
        : { email: row.email, createdTsMs: row.created_at.getTime(), isEmailVerified: row.email_verified_at !== null },
  };
}

function renewalOf({ renewal, billing_anchor: anchor, plan_until: until }: MeRow, nowMs: number): number | null {
  if (renewal === 'none' || anchor === null) return null;
  const { toMs } = periodAt(renewal, anchor.getTime(), nowMs);
  return until !== null && until.getTime() <= toMs ? null : toMs;
}
