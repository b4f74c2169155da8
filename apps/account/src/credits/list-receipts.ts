import { invalidArgument } from '@market-state/errors';
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
  /** Of the page before; null for the first. */
  readonly cursor: string | null;
}

export interface StoredReceipt extends Receipt {
  readonly receiptId: string;
  readonly planId: string;
}

export interface ReceiptPage {
  readonly receipts: readonly StoredReceipt[];
  /** Null at the end. */
  readonly nextCursor: string | null;
}

interface Row {
  readonly sequence: string;
  readonly receipt: StoredReceipt;
}

const READ = `
  SELECT "sequence", json_build_object('receiptId', "id", 'operationId', "operation_id", 'requestId', "request_id", 'planId', "plan_id",
    'caller', json_build_object('keyId', "key_id", 'accountId', "account_id"), 'status', "status", 'servedMs', (extract(epoch FROM "served_at") * 1000)::bigint,
    'priced', json_build_object('method', "method", 'route', "route", 'workloadFamily', "workload_family", 'priceVersion', "price_version",
      'estimatedMarketStateCredits', "estimated_market_state_credits", 'observedMarketStateCredits', "observed_market_state_credits",
      'estimatedExportCredits', "estimated_export_credits", 'observedExportCredits', "observed_export_credits", 'quoteId', "quote_id", 'artifactIds', "artifact_ids")) AS receipt
  FROM "receipt" WHERE "tenant_id" = $1 AND "sequence" < $2 AND ($3::text IS NULL OR "id" = $3) AND ($4::text IS NULL OR "request_id" = $4)
    AND ($5::text IS NULL OR "workload_family" = $5) AND ($6::timestamptz IS NULL OR "served_at" >= $6) AND ($7::timestamptz IS NULL OR "served_at" < $7)
  ORDER BY "sequence" DESC LIMIT $8`;

const BEFORE_ANY = '9223372036854775807';

/**
 * Receipts in the reverse of the order in which they were written. Whoever writes a tenant's receipts holds the tenant until they are committed, so
 * nothing appears later among those that were read: pages neither repeat nor skip.
 * @throws ServiceError INVALID_ARGUMENT for a cursor that no page gave
 */
export async function listReceipts(credits: Credits, filter: ReceiptFilter): Promise<ReceiptPage> {
  const { tenantId, receiptId, requestId, workloadFamily, limit } = filter;
  const before = filter.cursor === null ? BEFORE_ANY : readCursor(filter.cursor);
  const rows = await readOnly(credits, tenantId, (client) =>
    client.query<Row>(READ, [tenantId, before, receiptId, requestId, workloadFamily, time(filter.fromMs), time(filter.toMs), limit + 1]),
  );
  const page = rows.rows.slice(0, limit);
  const last = page.at(-1);
  return {
    receipts: page.map(({ receipt }) => receipt),
    nextCursor: rows.rows.length > limit && last !== undefined ? Buffer.from(last.sequence).toString('base64url') : null,
  };
}

function readCursor(cursor: string): string {
  const sequence = Buffer.from(cursor, 'base64url').toString('latin1');
  if (/^[1-9][0-9]{0,17}$/.test(sequence)) return sequence;
  throw invalidArgument([{ field: 'cursor', message: 'must be the next_cursor of a page', type: 'malformed' }]);
}

function time(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
