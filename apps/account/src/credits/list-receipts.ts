import { notFound } from '@market-state/errors';
import type { Queryable } from '@market-state/postgres';
import type { Credits } from './credits';
import * as store from '../store/receipts';
import { findReceiptSequence, type ReceiptFilter, type StoredReceipt, listUsage, type UsageFilter, type UsageRow } from '../store/receipts';
import { hasKey } from '../store/keys';
import { type WorkOf, noSuchTenant } from './with-credit-ledger';
import { hasTenant } from '../store/tenants';

interface ReceiptPageRequest extends ReceiptFilter {
  readonly afterId: string | null;
}

interface ReceiptPage {
  readonly receipts: readonly StoredReceipt[];
  readonly hasMore: boolean;
}

/**
 * Newest first. Writers lock the tenant until they commit, so pages neither repeat nor skip a receipt.
 * @returns null if `afterId` is not a receipt of the tenant
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

/** A call belongs to the day whose caps count it. Throws like `listOf`. */
export function getUsage(credits: Credits, filter: UsageFilter): Promise<readonly UsageRow[]> {
  return listOf(credits, filter, (on) => listUsage(on, filter));
}

/**
 * The tenant's existence is checked only if nothing is found or a key is named.
 * @throws ServiceError `unknown_tenant`, `unknown_key`
 */
async function listOf<T>(
  { pool }: Pick<Credits, 'pool'>,
  work: WorkOf,
  list: (on: Queryable) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  if (work.keyId !== null) await refuseStranger(pool, work);
  const found = await list(pool);
  if (found.length === 0 && work.keyId === null) await refuseStranger(pool, work);
  return found;
}

async function refuseStranger(on: Queryable, work: WorkOf): Promise<void> {
  if (!(await hasTenant(on, work.tenantId))) throw noSuchTenant();
  await refuseStrangeKey(on, work);
}

/** The error is the same for another tenant's key and an unknown one. */
async function refuseStrangeKey(on: Queryable, { tenantId, keyId }: WorkOf): Promise<void> {
  if (keyId !== null && !(await hasKey(on, tenantId, keyId))) throw notFound('unknown_key', 'There is no such key.');
}
