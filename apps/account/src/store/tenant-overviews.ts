import type { Queryable } from '@market-state/postgres';
import type { PlanId } from '@market-state/pricing';
import type { Renewal } from '../credits/calendar';

export interface TenantOverview {
  readonly tenantId: string;
  readonly name: string;
  readonly planId: PlanId | null;
  readonly renewal: Renewal;
  readonly isDisabled: boolean;
  readonly createdMs: number;
  /** Neither spent, reserved nor expired. */
  readonly marketStateAvailable: number;
  readonly exportAvailable: number;
}

/** $1 is the current time. */
const OVERVIEW = `
  SELECT t.id, t.name, t.plan_id, t.renewal, t.disabled, t.created_at, credits.market_state, credits.export
  FROM tenant t CROSS JOIN LATERAL (
    SELECT coalesce(sum(g."left") FILTER (WHERE g.kind = 'market_state'), 0) AS market_state,
      coalesce(sum(g."left") FILTER (WHERE g.kind = 'export'), 0) AS export
    FROM credit_grant g WHERE g.tenant_id = t.id AND g."left" > 0 AND (g.expires_at IS NULL OR g.expires_at > $1)
  ) AS credits`;

interface OverviewRow {
  readonly id: string;
  readonly name: string;
  readonly plan_id: PlanId | null;
  readonly renewal: Renewal;
  readonly disabled: boolean;
  readonly created_at: Date;
  readonly market_state: string;
  readonly export: string;
}

export async function readOverview(on: Queryable, tenantId: string, nowMs: number): Promise<TenantOverview | null> {
  const { rows } = await on.query<OverviewRow>(`${OVERVIEW} WHERE t.id = $2`, [new Date(nowMs), tenantId]);
  return rows[0] === undefined ? null : fromRow(rows[0]);
}

export async function listOverviews(
  on: Queryable,
  nowMs: number,
  limit: number,
  after: { readonly createdMs: number; readonly tenantId: string } | null,
): Promise<TenantOverview[]> {
  const isBehind = after === null ? 'true' : '(t.created_at, t.id) > ($3, $4)';
  const values = after === null ? [] : [new Date(after.createdMs), after.tenantId];
  const { rows } = await on.query<OverviewRow>(`${OVERVIEW} WHERE ${isBehind} ORDER BY t.created_at, t.id LIMIT $2`, [
    new Date(nowMs),
    limit,
    ...values,
  ]);
  return rows.map(fromRow);
}

function fromRow(row: OverviewRow): TenantOverview {
  return {
    tenantId: row.id,
    name: row.name,
    planId: row.plan_id,
    renewal: row.renewal,
    isDisabled: row.disabled,
    createdMs: row.created_at.getTime(),
    marketStateAvailable: Number(row.market_state),
    exportAvailable: Number(row.export),
  };
}
