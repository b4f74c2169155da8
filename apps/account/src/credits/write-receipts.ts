import type { PoolClient } from 'pg';
import { type Receipt, receiptIdOf } from './receipt';

/** The posting that charged the receipts, and what they have in common. */
export interface ChargedBy {
  readonly tenantId: string;
  /** Of the tenant now; empty for none. */
  readonly planId: string;
  readonly operationId: string;
  readonly part: number;
  readonly countedOnMs: number;
}

const WRITE = {
  name: 'write_receipts',
  text: `
    WITH "counted" AS (
      INSERT INTO "usage_day" AS u ("tenant_id", "day", "workload_family", "method", "route", "key_id", "account_id", "calls", "market_state_credits", "export_credits")
      SELECT $1, $2, n."workload_family", n."method", n."route", n."key_id", n."account_id", count(*), sum(n."observed_market_state_credits"), sum(n."observed_export_credits")
      FROM jsonb_to_recordset($3) AS n("workload_family" text, "method" text, "route" text, "key_id" text, "account_id" text, "observed_market_state_credits" bigint, "observed_export_credits" bigint)
      GROUP BY n."workload_family", n."method", n."route", n."key_id", n."account_id"
      ON CONFLICT ("tenant_id", "day", "workload_family", "method", "route", "key_id", "account_id") DO UPDATE SET "calls" = u."calls" + excluded."calls",
        "market_state_credits" = u."market_state_credits" + excluded."market_state_credits", "export_credits" = u."export_credits" + excluded."export_credits"
    )
    INSERT INTO "receipt" ("id", "tenant_id", "operation_id", "request_id", "charged_operation_id", "charged_part", "key_id", "account_id", "plan_id", "method", "route",
      "workload_family", "price_version", "estimated_market_state_credits", "observed_market_state_credits", "estimated_export_credits", "observed_export_credits",
      "quote_id", "artifact_ids", "status", "served_at")
    SELECT n."id", $1, n."operation_id", n."request_id", $4, $5, n."key_id", n."account_id", $6, n."method", n."route",
      n."workload_family", n."price_version", n."estimated_market_state_credits", n."observed_market_state_credits", n."estimated_export_credits", n."observed_export_credits",
      n."quote_id", n."artifact_ids", n."status", to_timestamp(n."served_ms" / 1000)
    FROM jsonb_to_recordset($3) AS n("id" text, "operation_id" text, "request_id" text, "key_id" text, "account_id" text, "method" text, "route" text,
      "workload_family" text, "price_version" text, "estimated_market_state_credits" bigint, "observed_market_state_credits" bigint, "estimated_export_credits" bigint,
      "observed_export_credits" bigint, "quote_id" text, "artifact_ids" text[], "status" integer, "served_ms" double precision)`,
};

/** Writes receipts and adds them to the day's usage, in the transaction that charges them. An operation that has a receipt fails it. */
export async function writeReceipts(client: PoolClient, by: ChargedBy, receipts: readonly Receipt[]): Promise<void> {
  if (receipts.length === 0) return;
  const rows = receipts.map((receipt) => receiptRow(by.tenantId, receipt));
  const day = new Date(by.countedOnMs).toISOString().slice(0, 10);
  await client.query({ ...WRITE, values: [by.tenantId, day, JSON.stringify(rows), by.operationId, by.part, by.planId] });
}

/** Those of a batch whose operations have no receipt yet, each once. */
export async function withoutReceipt(client: PoolClient, tenantId: string, receipts: readonly Receipt[]): Promise<Receipt[]> {
  const ids = new Map(receipts.map((receipt) => [receiptIdOf(tenantId, receipt.operationId), receipt]));
  const { rows } = await client.query<{ id: string }>({
    name: 'known_receipts',
    text: 'SELECT "id" FROM "receipt" WHERE "id" = ANY($1)',
    values: [[...ids.keys()]],
  });
  for (const { id } of rows) ids.delete(id);
  return [...ids.values()];
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
