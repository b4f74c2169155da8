import type { Credits } from './credits';
import { listOf } from './list-of';
import { findReceiptSequence, type ReceiptFilter, type StoredReceipt } from '../store/receipts';
import * as store from '../store/receipts';

export interface ReceiptPageRequest extends ReceiptFilter {
  /** Id of the receipt behind which the page begins; null for the first. */
  readonly afterId: string | null;
}

export interface ReceiptPage {
  readonly receipts: readonly StoredReceipt[];
  /** Whether further receipts follow. */
  readonly hasMore: boolean;
}

/**
 * Receipts in the reverse of the order in which they were written. Whoever writes a tenant's receipts locks the tenant until they are
 * committed, so nothing appears later among those that were read: pages neither repeat nor skip.
 * @returns null where the tenant has no receipt of the id behind which the page is to begin
 */
export async function listReceipts(credits: Credits, { afterId, ...filter }: ReceiptPageRequest): Promise<ReceiptPage | null> {
  const { tenantId, limit } = filter;
  let isStrangeCursor = false;
  const receipts = await listOf(credits, filter, async (on) => {
    const before = afterId === null ? null : await findReceiptSequence(on, tenantId, afterId);
    isStrangeCursor = before === undefined;
    return before === undefined ? [] : store.listReceipts(on, { ...filter, limit: limit + 1 }, before);
  });
  return isStrangeCursor ? null : { receipts: receipts.slice(0, limit), hasMore: receipts.length > limit };
}
