import { randomBytes } from 'node:crypto';
import type { Queryable } from '@market-state/postgres';
import type { CreditKind, PlanId } from '@market-state/pricing';
import { newId } from '../keys/key';
import type { Book, Ceiling, Grant, Hold, PlanState } from '../credits/book';
import { byUse } from '../credits/give';
import { ceilingJson } from './spend-limits';
import { ms } from './tables';

const LOCK = { name: 'lock_tenant', text: 'SELECT "id" FROM "tenant" WHERE "id" = $1 FOR NO KEY UPDATE' };

const READ = {
  name: 'read_book',
  text: `
    SELECT json_build_object('planId', t."plan_id", 'renewal', t."renewal", 'anchorMs', ${ms('t."billing_anchor"')}, 'untilMs',
      ${ms('t."plan_until"')},
        'disabled', t."disabled", 'ownCredits', json_build_object('market_state', t."own_market_state_credits", 'export',
        t."own_export_credits"),
        'periodFromMs', ${ms('t."period_from"')}, 'periodToMs', ${ms('t."period_to"')}) AS plan,
      (SELECT json_build_object('monthlyCreditCap', "monthly_credit_cap", 'dailyCreditCap', "daily_credit_cap",
          'perCallCreditCeiling', "per_call_credit_ceiling", 'exportCreditCap', "export_credit_cap")
        FROM "spend_control" WHERE "tenant_id" = t."id") AS controls,
      (SELECT json_object_agg("kind", json_build_object('held', "held", 'spent', "spent", 'issued', "issued", 'expired', "expired",
          'dayMs', ${ms('"day"')}, 'spentDay', "spent_day", 'spentMonth', "spent_month"))
        FROM "credit_total" WHERE "tenant_id" = t."id") AS totals,
      (SELECT coalesce(json_agg(json_build_object('id', g."id", 'kind', g."kind", 'source', g."source", 'operationId', g."operation_id",
      'note', g."note",
          'amount', g."amount", 'left', g."left", 'spent', g."spent", 'grantedMs', ${ms('g."granted_at"')}, 'expiresMs',
          ${ms('g."expires_at"')})), '[]')
        FROM "credit_grant" g WHERE g."tenant_id" = t."id" AND (g."left" > 0
          OR g."expires_at" > to_timestamp($2::double precision / 1000) - interval '2 days'
          OR g."id" IN (SELECT unnest("grant_ids") FROM "credit_hold" WHERE "tenant_id" = t."id" AND "ended_at" IS NULL))) AS grants,
      (SELECT coalesce(json_agg(json_build_object('id', h."id", 'kind', h."kind", 'operationId', h."operation_id", 'amount', h."amount",
      'left', h."left",
          'grantIds', h."grant_ids", 'grantAmounts', h."grant_amounts", 'countedOnMs', ${ms('h."counted_on"')}, 'takenMs',
          ${ms('h."taken_at"')}, 'ceiling', CASE WHEN h."ceiling_id" IS NOT NULL THEN json_build_object('id', h."ceiling_id", 'windowFromMs',
            ${ms('h."ceiling_from"')}) END,
          'releaseMs', ${ms('h."release_at"')}, 'lease', CASE WHEN l."id" IS NOT NULL THEN json_build_object('gatewayId', l."gateway_id",
            'expiresMs', ${ms('l."expires_at"')}, 'endsAtReset', l."ends_at_reset", 'lastBatch', l."last_batch", 'recalledMs',
            ${ms('l."recalled_at"')}) END)
          ORDER BY h."taken_at", h."id"), '[]')
        FROM "credit_hold" h LEFT JOIN "credit_lease" l USING ("id") WHERE h."tenant_id" = t."id" AND h."ended_at" IS NULL) AS holds,
      k."ceiling_id" AS "ceilingId",
      (SELECT coalesce(json_agg(${ceilingJson('c')}), '[]') FROM "credit_ceiling" c WHERE c."tenant_id" = t."id" AND (c."id" = k."ceiling_id"
        OR c."id" IN (SELECT "ceiling_id" FROM "credit_hold" WHERE "tenant_id" = t."id" AND "ended_at" IS NULL))) AS ceilings
    FROM "tenant" t LEFT JOIN "api_key" k ON k."id" = $3 AND k."tenant_id" = t."id" WHERE t."id" = $1`,
};

interface BookRow {
  readonly plan: Omit<PlanState, 'planId'> & { planId: PlanId | null };
  readonly controls: Book['controls'];
  readonly ceilings: Ceiling[];
  /** Of the key. */
  readonly ceilingId: string | null;
  readonly totals: Record<CreditKind, Book['totals'][CreditKind]>;
  readonly grants: Grant[];
  readonly holds: (Omit<Hold, 'parts' | 'endedMs'> & { readonly grantIds: string[]; readonly grantAmounts: number[] })[];
}

/**
 * Locks the tenant until the open transaction ends and reads its book, as it is under the lock, with the ceiling of a key.
 * @returns null when there is no such tenant
 */
export async function loadBook(on: Queryable, tenantId: string, keyId: string | null, nowMs: number): Promise<Book | null> {
  const locked = await on.query({ ...LOCK, values: [tenantId] });
  return locked.rowCount === 0 ? null : readBook(on, tenantId, keyId, nowMs);
}

/** The same as it is committed, for who changes nothing of it. */
export async function readBook(on: Queryable, tenantId: string, keyId: string | null, nowMs: number): Promise<Book | null> {
  const { rows } = await on.query<BookRow>({ ...READ, values: [tenantId, nowMs, keyId] });
  const row = rows[0];
  if (row === undefined) return null;
  return {
    tenantId,
    nowMs,
    newId: (prefix) => newId(prefix, randomBytes),
    plan: row.plan,
    controls: row.controls,
    ceilings: row.ceilings,
    ceiling: row.ceilings.find(({ id }) => id === row.ceilingId) ?? null,
    totals: row.totals,
    grants: row.grants.sort(byUse),
    holds: row.holds.map(({ grantIds, grantAmounts, ...held }) => ({
      ...held,
      endedMs: null,
      parts: grantIds.map((grantId, at) => ({ grantId, amount: grantAmounts[at] ?? 0 })),
    })),
    postings: [],
    events: [],
    changedGrants: new Set(),
    changedHolds: new Set(),
    changedCeilings: new Set(),
    planChanged: false,
  };
}
