import { randomBytes } from 'node:crypto';
import { newId } from '@market-state/credentials';
import type { Queryable } from '@market-state/postgres';
import type { CreditKind, PlanId } from '@market-state/pricing';
import { type Book, CREDIT_KINDS, type Grant, type Hold, type PlanState, type Ceiling } from '../credits/credit-ledger';
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
          'grantIds', h."grant_ids", 'grantAmounts', h."grant_amounts", 'countedOnMs', ${ms('h."counted_on"')}, 'takenAtMs',
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
  readonly ceilingId: string | null;
  readonly totals: Record<CreditKind, Book['totals'][CreditKind]>;
  readonly grants: Grant[];
  readonly holds: (Omit<Hold, 'parts' | 'endedMs'> & { readonly grantIds: string[]; readonly grantAmounts: number[] })[];
}

/** False if there is no such tenant. */
export async function lockTenant(on: Queryable, tenantId: string): Promise<boolean> {
  const { rowCount } = await on.query({ ...LOCK, values: [tenantId] });
  return rowCount !== 0;
}

/** Reads the committed book, with the ceiling of a key. A caller that changes it must have locked the tenant before. */
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

const SAVE = {
  name: 'save_book',
  text: `
    WITH "totalled" AS (
      UPDATE "credit_total" t SET "held" = n."held", "spent" = n."spent", "issued" = n."issued", "expired" = n."expired", "day" = n."day",
        "spent_day" = n."spent_day", "spent_month" = n."spent_month"
      FROM json_to_recordset($3) AS n("kind" "credit_kind", "held" bigint, "spent" bigint, "issued" bigint, "expired" bigint,
        "day" date, "spent_day" bigint, "spent_month" bigint)
      WHERE t."tenant_id" = $1 AND t."kind" = n."kind"
    ), "granted" AS (
      INSERT INTO "credit_grant" ("id", "tenant_id", "kind", "source", "operation_id", "note", "amount", "left", "spent", "granted_at",
        "expires_at")
      SELECT n."id", $1, n."kind", n."source", n."operation_id", n."note", n."amount", n."left", n."spent", n."granted_at", n."expires_at"
      FROM json_to_recordset($4) AS n("id" text, "kind" "credit_kind", "source" "grant_source", "operation_id" text, "note" text,
        "amount" bigint, "left" bigint, "spent" bigint,
        "granted_at" timestamptz, "expires_at" timestamptz)
      ON CONFLICT ("id") DO UPDATE SET "left" = excluded."left", "spent" = excluded."spent"
    ), "held" AS (
      INSERT INTO "credit_hold" ("id", "tenant_id", "kind", "operation_id", "amount", "left", "grant_ids", "grant_amounts",
        "counted_on", "ceiling_id", "ceiling_from", "taken_at", "release_at", "ended_at")
      SELECT n."id", $1, n."kind", n."operation_id", n."amount", n."left", n."grant_ids", n."grant_amounts", n."counted_on",
        n."ceiling_id", n."ceiling_from", n."taken_at", n."release_at", n."ended_at"
      FROM json_to_recordset($5) AS n("id" text, "kind" "credit_kind", "operation_id" text, "amount" bigint, "left" bigint,
        "grant_ids" text[], "grant_amounts" bigint[],
        "counted_on" date, "ceiling_id" text, "ceiling_from" timestamptz, "taken_at" timestamptz, "release_at" timestamptz,
        "ended_at" timestamptz)
      ON CONFLICT ("id") DO UPDATE SET "left" = excluded."left", "ended_at" = excluded."ended_at"
    ), "leased" AS (
      INSERT INTO "credit_lease" ("id", "gateway_id", "expires_at", "ends_at_reset", "last_batch", "recalled_at", "ended_at")
      SELECT n."id", n."gateway_id", n."expires_at", n."ends_at_reset", n."last_batch", n."recalled_at", n."ended_at"
      FROM json_to_recordset($6) AS n("id" text, "gateway_id" text, "expires_at" timestamptz, "ends_at_reset" boolean,
        "last_batch" integer, "recalled_at" timestamptz, "ended_at" timestamptz)
      ON CONFLICT ("id") DO UPDATE SET "last_batch" = excluded."last_batch", "recalled_at" = excluded."recalled_at",
      "ended_at" = excluded."ended_at"
    ), "ceiled" AS (
      UPDATE "credit_ceiling" c SET "window_from" = n."window_from", "spent" = n."spent"
      FROM json_to_recordset($9) AS n("id" text, "window_from" timestamptz, "spent" bigint) WHERE c."id" = n."id"
    ), "posted" AS (
      INSERT INTO "posting" ("tenant_id", "operation_id", "phase", "part", "counted_on", "posted_at")
      SELECT $1, n."operation_id", n."phase", n."part", n."counted_on", $2
      FROM json_to_recordset($7) AS n("operation_id" text, "phase" "posting_phase", "part" integer, "counted_on" date)
      RETURNING "id", "operation_id", "phase", "part"
    )
    INSERT INTO "entry" ("posting_id", "line", "kind", "account", "grant_id", "amount")
    SELECT p."id", n."line", n."kind", n."account", n."grant_id", n."amount"
    FROM json_to_recordset($8) AS n("operation_id" text, "phase" "posting_phase", "part" integer, "line" integer, "kind" "credit_kind",
      "account" "ledger_account", "grant_id" text, "amount" bigint)
    JOIN "posted" p USING ("operation_id", "phase", "part")`,
};

const SAVE_PLAN = `
  UPDATE "tenant" SET "plan_id" = $2, "renewal" = $3::"renewal", "billing_anchor" = $4, "plan_until" = $5, "own_market_state_credits" = $6,
    "own_export_credits" = $7, "period_from" = $8, "period_to" = $9 WHERE "id" = $1`;

const SAVE_EVENTS = `
  INSERT INTO "outbox" ("tenant_id", "kind", "occasion", "payload", "created_at")
  SELECT $1, n."kind", n."occasion", n."payload", $3 FROM jsonb_to_recordset($2) AS n("kind" text, "occasion" text, "payload" jsonb)
  ON CONFLICT ("tenant_id", "occasion") DO NOTHING`;

/** A second posting of the same operation, phase and part fails. */
export async function saveBook(on: Queryable, book: Book): Promise<void> {
  const { tenantId } = book;
  const now = new Date(book.nowMs);
  if (book.planChanged) await on.query(SAVE_PLAN, [tenantId, ...planValues(book.plan)]);
  const grants = [...book.changedGrants].map(grantRow);
  const holds = [...book.changedHolds];
  const { totals, postings, entries } = ledgerRows(book);
  const ceilings = [...book.changedCeilings].map(({ id, windowFromMs, spent }) => ({ id, window_from: time(windowFromMs), spent }));
  const rows = [totals, grants, holds.map(holdRow), holds.flatMap(leaseRow), postings, entries, ceilings];
  await on.query({ ...SAVE, values: [tenantId, now, ...rows.map((row) => JSON.stringify(row))] });
  if (book.events.length > 0) await on.query(SAVE_EVENTS, [tenantId, JSON.stringify(book.events), now]);
}

function ledgerRows({ totals, postings }: Book) {
  const key = ({ operationId, phase, part }: Book['postings'][number]) => ({ operation_id: operationId, phase, part });
  return {
    totals: CREDIT_KINDS.map((kind) => {
      const { dayMs, spentDay, spentMonth, ...sums } = totals[kind];
      return { kind, ...sums, day: date(dayMs), spent_day: spentDay, spent_month: spentMonth };
    }),
    postings: postings.map((posting) => ({ ...key(posting), counted_on: date(posting.countedOnMs) })),
    entries: postings.flatMap((posting) =>
      posting.entries.map(({ kind, account, grantId, amount }, line) => ({
        ...key(posting),
        line,
        kind,
        account,
        grant_id: grantId,
        amount,
      })),
    ),
  };
}

function grantRow(grant: Grant) {
  const { id, kind, source, note, amount, left, spent } = grant;
  return {
    id,
    kind,
    source,
    operation_id: grant.operationId,
    note,
    amount,
    left,
    spent,
    granted_at: time(grant.grantedMs),
    expires_at: time(grant.expiresMs),
  };
}

function holdRow(held: Hold) {
  const { id, kind, amount, left, parts } = held;
  return {
    id,
    kind,
    operation_id: held.operationId,
    amount,
    left,
    grant_ids: parts.map(({ grantId }) => grantId),
    grant_amounts: parts.map((part) => part.amount),
    counted_on: date(held.countedOnMs),
    ceiling_id: held.ceiling?.id ?? null,
    ceiling_from: time(held.ceiling?.windowFromMs ?? null),
    taken_at: time(held.takenAtMs),
    release_at: time(held.releaseMs),
    ended_at: time(held.endedMs),
  };
}

function leaseRow({ id, lease, endedMs }: Hold) {
  if (lease === null) return [];
  const { gatewayId, expiresMs, endsAtReset, lastBatch, recalledMs } = lease;
  return [
    {
      id,
      gateway_id: gatewayId,
      expires_at: time(expiresMs),
      ends_at_reset: endsAtReset,
      last_batch: lastBatch,
      recalled_at: time(recalledMs),
      ended_at: time(endedMs),
    },
  ];
}

function planValues(plan: PlanState) {
  const { planId, renewal, anchorMs, untilMs, ownCredits, periodFromMs, periodToMs } = plan;
  return [planId, renewal, time(anchorMs), time(untilMs), ownCredits.market_state, ownCredits.export, time(periodFromMs), time(periodToMs)];
}

function time(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

function date(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
