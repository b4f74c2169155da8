import type { Credits } from './credits';
import { readOnly } from './read-only';
import { refuseStrangeKey } from './refuse-strange-key';
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
export function listReceipts(credits: Credits, { afterId, ...filter }: ReceiptPageRequest): Promise<ReceiptPage | null> {
  const { tenantId, limit } = filter;
  return readOnly(credits, tenantId, async (client) => {
    await refuseStrangeKey(client, filter);
    const before = afterId === null ? null : await findReceiptSequence(client, tenantId, afterId);
    if (before === undefined) return null;
    const receipts = await store.listReceipts(client, { ...filter, limit: limit + 1 }, before);
    return { receipts: receipts.slice(0, limit), hasMore: receipts.length > limit };
  });
}
