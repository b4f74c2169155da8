import type { PoolClient } from 'pg';
import type { Credits } from './credits';
import { readOnly } from './read-only';
import type { Receipt } from './receipt';

export interface ReceiptFilter {
  readonly tenantId: string;
  /** Null for any. */
  readonly receiptId: string | null;
  readonly requestId: string | null;
  readonly workloadFamily: string | null;
  /** Served in [from, to), milliseconds since the epoch. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
  readonly limit: number;
  /** Id of the receipt behind which the page begins; null for the first. */
  readonly afterId: string | null;
}

export interface StoredReceipt extends Receipt {
  readonly receiptId: string;
  readonly planId: string;
}

export interface ReceiptPage {
  readonly receipts: readonly StoredReceipt[];
  /** Whether further receipts follow. */
  readonly hasMore: boolean;
}

interface Row {
  readonly receipt: StoredReceipt;
}

const READ = `
  SELECT json_build_object('receiptId', "id", 'operationId', "operation_id", 'requestId', "request_id", 'planId', "plan_id",
    'caller', json_build_object('keyId', "key_id", 'accountId', "account_id"), 'status', "status", 'servedMs',
    (extract(epoch FROM "served_at") * 1000)::bigint,
    'priced', json_build_object('method', "method", 'route', "route", 'workloadFamily', "workload_family", 'priceVersion', "price_version",
      'estimatedMarketStateCredits', "estimated_market_state_credits", 'observedMarketStateCredits', "observed_market_state_credits",
      'estimatedExportCredits', "estimated_export_credits", 'observedExportCredits', "observed_export_credits", 'quoteId', "quote_id",
      'artifactIds', "artifact_ids")) AS receipt
  FROM "receipt" WHERE "tenant_id" = $1 AND "sequence" < $2 AND ($3::text IS NULL OR "id" = $3) AND ($4::text IS NULL OR "request_id" = $4)
    AND ($5::text IS NULL OR "workload_family" = $5) AND ($6::timestamptz IS NULL OR "served_at" >= $6)
    AND ($7::timestamptz IS NULL OR "served_at" < $7)
  ORDER BY "sequence" DESC LIMIT $8`;

const BEFORE_ANY = '9223372036854775807';

/**
 * Receipts in the reverse of the order in which they were written. Whoever writes a tenant's receipts holds the tenant until they are
 * committed, so nothing appears later among those that were read: pages neither repeat nor skip.
 * @returns null where the tenant has no receipt of the id behind which the page is to begin
 */
export function listReceipts(credits: Credits, filter: ReceiptFilter): Promise<ReceiptPage | null> {
  const { tenantId, receiptId, requestId, workloadFamily, limit, afterId } = filter;
  return readOnly(credits, tenantId, async (client) => {
    const before = afterId === null ? BEFORE_ANY : await sequenceOf(client, tenantId, afterId);
    if (before === undefined) return null;
    const { rows } = await client.query<Row>(READ, [
      tenantId,
      before,
      receiptId,
      requestId,
      workloadFamily,
      time(filter.fromMs),
      time(filter.toMs),
      limit + 1,
    ]);
    return { receipts: rows.slice(0, limit).map(({ receipt }) => receipt), hasMore: rows.length > limit };
  });
}

/** Undefined where the tenant has no such receipt. */
async function sequenceOf(client: PoolClient, tenantId: string, id: string): Promise<string | undefined> {
  const { rows } = await client.query<{ readonly sequence: string }>(
    'SELECT "sequence" FROM "receipt" WHERE "id" = $1 AND "tenant_id" = $2',
    [id, tenantId],
  );
  return rows[0]?.sequence;
}

function time(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
