import { notFound } from '@market-state/errors';
import { inTransaction, type Queryable } from '@market-state/postgres';
import type { PlanId } from '@market-state/pricing';
import type { Pool, PoolClient } from 'pg';
import { grantPlan, type PlanOrder, type Renewal } from '../credits';
import { newId } from '../keys/id';

/** A tenant as its operator sees it. Times are milliseconds since the epoch. */
export interface TenantOverview {
  readonly tenantId: string;
  readonly name: string;
  /** Null: none. */
  readonly planId: PlanId | null;
  readonly renewal: Renewal;
  readonly isDisabled: boolean;
  readonly createdMs: number;
  /** Credits neither spent, nor held, nor ended. */
  readonly marketStateAvailable: number;
  readonly exportAvailable: number;
}

/** What the operator's work on tenants needs. */
export interface TenantDeps {
  readonly pool: Pool;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** The plan that a tenant is to have; it does not end. */
export type WantedPlan = Pick<PlanOrder, 'planId' | 'renewal' | 'ownCredits'>;

/** The tenant of that name, made when there is none, with the plan; null leaves the plan as it is. */
export function ensureTenant({ pool, clock, randomBytes }: TenantDeps, name: string, plan: WantedPlan | null): Promise<TenantOverview> {
  return inTransaction(pool, async (client) => {
    const nowMs = clock();
    await client.query('INSERT INTO tenant (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING', [
      newId('ten', randomBytes),
      name,
      new Date(nowMs),
    ]);
    const tenantId = (await findTenantId(client, name)) ?? '';
    if (plan !== null) await grantPlan(client, tenantId, { ...plan, operationId: null, months: null, nowMs });
    return overviewOf(client, tenantId, nowMs);
  });
}

/** Null when no tenant has that name. */
export async function findTenantId(db: Queryable, name: string): Promise<string | null> {
  const { rows } = await db.query<{ id: string }>('SELECT id FROM tenant WHERE name = $1', [name]);
  return rows[0]?.id ?? null;
}

/** Shuts or opens everything that a tenant's keys and sessions open. @throws ServiceError NOT_FOUND with reason `unknown_tenant` */
export function setTenantDisabled({ pool, clock }: TenantDeps, tenantId: string, isDisabled: boolean): Promise<TenantOverview> {
  return inTransaction(pool, async (client) => {
    await client.query('UPDATE tenant SET disabled = $2 WHERE id = $1 AND disabled <> $2', [tenantId, isDisabled]);
    return overviewOf(client, tenantId, clock());
  });
}

/** Where a page of tenants begins: after the tenant made then, with that id. */
export interface TenantPlace {
  readonly createdMs: number;
  readonly tenantId: string;
}

/** Tenants oldest first, behind a place. */
export async function listTenants({ pool, clock }: TenantDeps, limit: number, after: TenantPlace | null): Promise<TenantOverview[]> {
  const place = after === null ? 'true' : '(t.created_at, t.id) > ($3, $4)';
  const values = after === null ? [] : [new Date(after.createdMs), after.tenantId];
  const { rows } = await pool.query<OverviewRow>(`${OVERVIEW} WHERE ${place} ORDER BY t.created_at, t.id LIMIT $2`, [
    new Date(clock()),
    limit,
    ...values,
  ]);
  return rows.map(fromRow);
}

/** @throws ServiceError NOT_FOUND with reason `unknown_tenant` */
export async function overviewOf(client: Pool | PoolClient, tenantId: string, nowMs: number): Promise<TenantOverview> {
  const { rows } = await client.query<OverviewRow>(`${OVERVIEW} WHERE t.id = $2`, [new Date(nowMs), tenantId]);
  if (rows[0] === undefined) throw notFound('unknown_tenant', 'There is no such tenant.');
  return fromRow(rows[0]);
}

/** Takes the time as its first value. */
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
