import { type Queryable, run } from '@market-state/postgres';
import { receiptIdOf } from '@market-state/credit-leases';
import type { Receipt } from '../credits/receipt';
import { ms, tables } from './tables';

/** Calls of one day, family, route and key or account. */
export interface UsageRow {
  readonly dayMs: number;
  readonly workloadFamily: string;
  readonly method: string;
  readonly route: string;
  /** At most one is set; both are empty for work without a call of the tenant. */
  readonly keyId: string;
  readonly accountId: string;
  readonly calls: number;
  readonly marketStateCredits: number;
  readonly exportCredits: number;
}

export interface UsageFilter {
  readonly tenantId: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly workloadFamily: string | null;
  readonly keyId: string | null;
}

const READ = {
  name: 'list_usage',
  text: `
  SELECT json_build_object('dayMs', ${ms('"day"')}, 'workloadFamily', "workload_family", 'method', "method",
    'route', "route", 'keyId', "key_id", 'accountId', "account_id", 'calls', "calls", 'marketStateCredits', "market_state_credits",
    'exportCredits', "export_credits") AS usage
  FROM "usage_day" WHERE "tenant_id" = $1 AND "day" >= $2::timestamptz AT TIME ZONE 'UTC'
    AND "day" < $3::timestamptz AT TIME ZONE 'UTC' AND ($4::text IS NULL OR "workload_family" = $4)
    AND ($5::text IS NULL OR "key_id" = $5)
  ORDER BY "day", "workload_family", "route", "method", "key_id", "account_id"`,
};

export async function listUsage(on: Queryable, { tenantId, fromMs, toMs, workloadFamily, keyId }: UsageFilter): Promise<UsageRow[]> {
  const { rows } = await on.query<{ usage: UsageRow }>({
    ...READ,
    values: [tenantId, new Date(fromMs), new Date(toMs), workloadFamily, keyId],
  });
  return rows.map(({ usage }) => usage);
}

export async function hasGrantPosting(on: Queryable, tenantId: string, operationId: string): Promise<boolean> {
  const { rowCount } = await run(
    on,
    tables
      .selectFrom('posting')
      .select('id')
      .where('tenant_id', '=', tenantId)
      .where('operation_id', '=', operationId)
      .where('phase', '=', 'grant')
      .where('part', '=', 0),
  );
  return rowCount !== 0;
}

/** Posting that charged the receipts, and their shared fields. */
interface ChargedBy {
  readonly tenantId: string;
  readonly planId: string;
  readonly operationId: string;
  readonly part: number;
  readonly countedOnMs: number;
}

const COLUMNS = `"operation_id", "request_id", "key_id", "account_id", "method", "route", "workload_family", "price_version",
  "estimated_market_state_credits", "observed_market_state_credits", "estimated_export_credits", "observed_export_credits",
  "quote_id", "artifact_ids", "status"`;

const WRITE = {
  name: 'write_receipts',
  text: `
    WITH "written" AS (
      INSERT INTO "receipt" ("tenant_id", "charged_operation_id", "charged_part", "plan_id", "served_at", "id", ${COLUMNS})
      SELECT $1, $4, $5, $6, to_timestamp(n."served_ms" / 1000), n."id", ${COLUMNS}
      FROM json_to_recordset($3) AS n("id" text, "served_ms" double precision, "operation_id" text, "request_id" text, "key_id" text,
        "account_id" text, "method" text,
        "route" text, "workload_family" text, "price_version" text, "estimated_market_state_credits" bigint,
        "observed_market_state_credits" bigint,
        "estimated_export_credits" bigint, "observed_export_credits" bigint, "quote_id" text, "artifact_ids" text[], "status" integer)
      ON CONFLICT ("id") DO NOTHING
      RETURNING "workload_family", "method", "route", "key_id", "account_id", "observed_market_state_credits", "observed_export_credits"
    ), "counted" AS (
      INSERT INTO "usage_day" AS u ("tenant_id", "day", "workload_family", "method", "route", "key_id", "account_id", "calls",
        "market_state_credits", "export_credits")
      SELECT $1, $2, "workload_family", "method", "route", "key_id", "account_id", count(*), sum("observed_market_state_credits"),
        sum("observed_export_credits")
      FROM "written" GROUP BY "workload_family", "method", "route", "key_id", "account_id"
      ON CONFLICT ("tenant_id", "day", "workload_family", "method", "route", "key_id", "account_id") DO UPDATE
      SET "calls" = u."calls" + excluded."calls",
        "market_state_credits" = u."market_state_credits" + excluded."market_state_credits",
        "export_credits" = u."export_credits" + excluded."export_credits"
    )
    SELECT coalesce(sum("observed_market_state_credits"), 0)::bigint AS "credits" FROM "written"`,
};

/**
 * Writes receipts and the day's usage, in the transaction that charges them. Skips operations that already have a
 * receipt.
 * @returns market-state credits of the written receipts
 */
export async function writeReceipts(on: Queryable, by: ChargedBy, receipts: readonly Receipt[]): Promise<number> {
  const rows = receipts.map((receipt) => receiptRow(by.tenantId, receipt));
  const day = new Date(by.countedOnMs).toISOString().slice(0, 10);
  const written = await on.query<{ credits: string }>({
    ...WRITE,
    values: [by.tenantId, day, JSON.stringify(rows), by.operationId, by.part, by.planId],
  });
  return Number(written.rows[0]?.credits ?? 0);
}

function receiptRow(tenantId: string, { operationId, requestId, caller, priced, status, servedMs }: Receipt) {
  return {
    id: receiptIdOf(tenantId, operationId),
    operation_id: operationId,
    request_id: requestId,
    key_id: caller.keyId,
    account_id: caller.accountId,
    method: priced.method,
    route: priced.route,
    workload_family: priced.workloadFamily,
    price_version: priced.priceVersion,
    estimated_market_state_credits: priced.estimatedMarketStateCredits,
    observed_market_state_credits: priced.observedMarketStateCredits,
    estimated_export_credits: priced.estimatedExportCredits,
    observed_export_credits: priced.observedExportCredits,
    quote_id: priced.quoteId,
    artifact_ids: priced.artifactIds,
    status,
    served_ms: servedMs,
  };
}

export interface ReceiptFilter {
  readonly tenantId: string;
  readonly receiptId: string | null;
  readonly requestId: string | null;
  readonly workloadFamily: string | null;
  readonly keyId: string | null;
  readonly fromMs: number | null;
  readonly toMs: number | null;
  readonly limit: number;
}

export interface StoredReceipt extends Receipt {
  readonly receiptId: string;
  readonly planId: string;
}

/** Columns, not JSON: the database takes longer to build a page of JSON than to read its rows. */
const LIST = `
  SELECT "id", ${ms('"served_at"')} AS "served_ms", "plan_id", ${COLUMNS}
  FROM "receipt" WHERE "tenant_id" = $1 AND "sequence" < $2 AND ($3::text IS NULL OR "id" = $3) AND ($4::text IS NULL OR "request_id" = $4)
    AND ($5::text IS NULL OR "workload_family" = $5) AND ($6::timestamptz IS NULL OR "served_at" >= $6)
    AND ($7::timestamptz IS NULL OR "served_at" < $7) AND ($8::text IS NULL OR "key_id" = $8)
  ORDER BY "sequence" DESC LIMIT $9`;

type BigColumn = 'served_ms' | `${'estimated' | 'observed'}_${'market_state' | 'export'}_credits`;

/** The driver returns 64-bit integers as text. */
type ReceiptRow = Readonly<Omit<ReturnType<typeof receiptRow>, BigColumn> & Record<BigColumn | 'plan_id', string>>;

function fromReceiptRow(row: ReceiptRow): StoredReceipt {
  return {
    receiptId: row.id,
    operationId: row.operation_id,
    requestId: row.request_id,
    planId: row.plan_id,
    caller: { keyId: row.key_id, accountId: row.account_id },
    status: row.status,
    servedMs: Number(row.served_ms),
    priced: {
      method: row.method,
      route: row.route,
      workloadFamily: row.workload_family,
      priceVersion: row.price_version,
      estimatedMarketStateCredits: Number(row.estimated_market_state_credits),
      observedMarketStateCredits: Number(row.observed_market_state_credits),
      estimatedExportCredits: Number(row.estimated_export_credits),
      observedExportCredits: Number(row.observed_export_credits),
      quoteId: row.quote_id,
      artifactIds: row.artifact_ids,
    },
  };
}

const BEFORE_ANY = '9223372036854775807';

/** Receipts in reverse write order, before `beforeSequence`; null: from the newest. */
export async function listReceipts(on: Queryable, filter: ReceiptFilter, beforeSequence: string | null): Promise<StoredReceipt[]> {
  // Lookups by id get their own plan: that of a list would scan all receipts of the tenant.
  const isLookUp = filter.receiptId !== null || filter.requestId !== null;
  const { rows } = await on.query<ReceiptRow>({
    ...(isLookUp ? {} : { name: 'list_receipts' }),
    text: LIST,
    values: [
      filter.tenantId,
      beforeSequence ?? BEFORE_ANY,
      filter.receiptId,
      filter.requestId,
      filter.workloadFamily,
      time(filter.fromMs),
      time(filter.toMs),
      filter.keyId,
      filter.limit,
    ],
  });
  return rows.map(fromReceiptRow);
}

export async function findReceiptSequence(on: Queryable, tenantId: string, id: string): Promise<string | undefined> {
  const { rows } = await run(on, tables.selectFrom('receipt').select('sequence').where('id', '=', id).where('tenant_id', '=', tenantId));
  return rows[0]?.sequence;
}

function time(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
