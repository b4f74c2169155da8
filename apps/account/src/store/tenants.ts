import type { MemberRole } from '@market-state/credentials';
import { type Queryable, run } from '@market-state/postgres';
import type { PlanId } from '@market-state/pricing';
import type { StoredPlan } from '../credits/plan-terms';
import type { Renewal } from '../credits/calendar';
import { tables } from './tables';

const DUE = `
  SELECT "tenant_id" FROM "credit_hold" WHERE "ended_at" IS NULL AND "release_at" <= $1
  UNION SELECT "tenant_id" FROM "credit_grant" WHERE "left" > 0 AND "expires_at" <= $1
  UNION SELECT "id" FROM "tenant" WHERE "renewal" <> 'none' AND NOT "disabled" AND ("period_to" IS NULL OR "period_to" <= $1)
    AND ("plan_until" IS NULL OR "plan_until" > $1)
  LIMIT $2`;

/** Tenants with time-driven changes to apply: overdue holds, expired grants, a new period. */
export async function listDueTenants(on: Queryable, nowMs: number, tenantsMax: number): Promise<string[]> {
  const { rows } = await on.query<{ tenant_id: string }>(DUE, [new Date(nowMs), tenantsMax]);
  return rows.map((row) => row.tenant_id);
}

export async function lockTenant(on: Queryable, tenantId: string): Promise<boolean> {
  const { rowCount } = await run(on, tables.selectFrom('tenant').select('id').where('id', '=', tenantId).forUpdate());
  return rowCount === 1;
}

/** Finds the tenant by name, or creates it with `newTenantId`, and locks its row until the transaction ends. */
export async function lockTenantOfName(on: Queryable, name: string, newTenantId: string, nowMs: number): Promise<string> {
  // Updates an existing row to lock it: calls for one tenant run one after the other.
  const { rows } = await run(
    on,
    tables
      .insertInto('tenant')
      .values({ id: newTenantId, name, created_at: new Date(nowMs) })
      .onConflict((conflict) => conflict.column('name').doUpdateSet((update) => ({ name: update.ref('excluded.name') })))
      .returning('id'),
  );
  return rows[0]?.id ?? newTenantId;
}

export async function insertTenant(on: Queryable, newTenantId: string, name: string, nowMs: number): Promise<void> {
  await run(
    on,
    tables
      .insertInto('tenant')
      .values({ id: newTenantId, name, created_at: new Date(nowMs) })
      .onConflict((conflict) => conflict.column('name').doNothing()),
  );
}

export async function findTenantByName(on: Queryable, name: string): Promise<string | null> {
  const { rows } = await run(on, tables.selectFrom('tenant').select('id').where('name', '=', name));
  return rows[0]?.id ?? null;
}

export async function hasTenant(on: Queryable, tenantId: string): Promise<boolean> {
  const { rowCount } = await run(on, tables.selectFrom('tenant').select('id').where('id', '=', tenantId));
  return rowCount !== 0;
}

export async function findPlanOfTenant(on: Queryable, tenantId: string): Promise<string | null> {
  const { rows } = await run(on, tables.selectFrom('tenant').select('plan_id').where('id', '=', tenantId));
  return rows[0]?.plan_id ?? null;
}

export async function readDisabled(on: Queryable, tenantId: string): Promise<boolean | null> {
  const { rows } = await run(on, tables.selectFrom('tenant').select('disabled').where('id', '=', tenantId));
  return rows[0]?.disabled ?? null;
}

export async function writeDisabled(on: Queryable, tenantId: string, isDisabled: boolean): Promise<void> {
  await run(on, tables.updateTable('tenant').set({ disabled: isDisabled }).where('id', '=', tenantId).where('disabled', '<>', isDisabled));
}

interface ClaimedTenant {
  readonly isUnpaidTrial: boolean;
  /** True if the tenant has a verified or older account, or one claimed with an older key; invited ones do not count. */
  readonly hasElders: boolean;
}

const CLAIMED_TENANT = `
  SELECT tenant.name = 'trial ' || tenant.id AND coalesce(tenant.plan_id, 'trial') = 'trial'
      AND NOT EXISTS (SELECT FROM billing_order o WHERE o.tenant_id = tenant.id AND o.status = 'fulfilled') AS "isUnpaidTrial",
    EXISTS (SELECT FROM account a LEFT JOIN api_key k ON k.id = a.claimed_key_id
      WHERE a.tenant_id = tenant.id AND a.id <> $2 AND NOT a.invited AND (a.email_verified_at IS NOT NULL OR a.created_at < $3 OR k.created_at IS NULL
        OR k.created_at < $3)) AS "hasElders"
  FROM tenant WHERE tenant.id = $1`;

/** @param accountCreatedTsMs creation time of the account being verified */
export async function readClaimedTenant(
  on: Queryable,
  tenantId: string,
  accountId: string,
  accountCreatedTsMs: number,
): Promise<ClaimedTenant | null> {
  const { rows } = await on.query<ClaimedTenant>(CLAIMED_TENANT, [tenantId, accountId, new Date(accountCreatedTsMs)]);
  return rows[0] ?? null;
}

export const PLAN_COLUMNS = [
  't.plan_id',
  't.renewal',
  't.billing_anchor',
  't.plan_until',
  't.period_to',
  't.own_market_state_credits',
  't.own_export_credits',
] as const;

interface PlanRow {
  readonly plan_id: string | null;
  readonly renewal: Renewal;
  readonly billing_anchor: Date | null;
  readonly plan_until: Date | null;
  readonly period_to: Date | null;
  readonly own_market_state_credits: number | null;
  readonly own_export_credits: number | null;
}

export function toStoredPlan(row: PlanRow): StoredPlan {
  return {
    planId: row.plan_id as PlanId | null,
    renewal: row.renewal,
    anchorMs: row.billing_anchor?.getTime() ?? null,
    untilMs: row.plan_until?.getTime() ?? null,
    periodToMs: row.period_to?.getTime() ?? null,
    ownCredits: { market_state: row.own_market_state_credits, export: row.own_export_credits },
  };
}

export interface OwnAccount {
  readonly email: string;
  readonly createdTsMs: number;
  readonly isEmailVerified: boolean;
  readonly hasFactor: boolean;
  readonly role: MemberRole;
}

interface TenantWithAccount {
  readonly name: string;
  readonly plan: StoredPlan;
  readonly account: OwnAccount | null;
}

export async function findTenantWithAccount(on: Queryable, tenantId: string, accountId: string | null): Promise<TenantWithAccount | null> {
  const { rows } = await run(
    on,
    tables
      .selectFrom('tenant as t')
      .leftJoin('account as a', (join) => join.onRef('a.tenant_id', '=', 't.id').on('a.id', '=', accountId))
      .leftJoin('second_factor as f', 'f.account_id', 'a.id')
      .select(['t.name', 'a.email', 'a.created_at', 'a.email_verified_at', 'a.role', 'f.confirmed_at', ...PLAN_COLUMNS])
      .where('t.id', '=', tenantId),
  );
  const [row] = rows;
  if (row === undefined) return null;
  return {
    name: row.name,
    plan: toStoredPlan(row),
    account:
      row.email === null || row.created_at === null || row.role === null
        ? null
        : {
            email: row.email,
            createdTsMs: row.created_at.getTime(),
            isEmailVerified: row.email_verified_at !== null,
            hasFactor: row.confirmed_at !== null,
            role: row.role,
          },
  };
}
