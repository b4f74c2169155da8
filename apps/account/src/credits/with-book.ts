import { notFound, type ServiceError } from '@market-state/errors';
import type { PoolClient } from 'pg';
import { loadBook } from '../store/load-book';
import { notify } from '../store/notices';
import { releaseReservations } from '../store/reservations';
import { saveBook } from '../store/save-book';
import type { Book } from './book';
import { bringUpToDate } from './bring-up-to-date';

/** Whose credits work is paid with, and whose ceiling it counts against. */
export interface WorkOf {
  readonly tenantId: string;
  /** Null, or a key without a ceiling: none. */
  readonly keyId: string | null;
}

/**
 * Decides something about a tenant's credits inside the transaction that is open on `client`: the tenant is locked until it ends, its book
 * is brought up to date before and written after. `decide` changes the book and answers; when it throws, nothing is to be committed.
 * @param work of no key: the tenant alone
 * @throws ServiceError NOT_FOUND with reason `unknown_tenant`
 */
export async function withBook<T>(
  client: PoolClient,
  work: string | WorkOf,
  nowMs: number,
  decide: (book: Book) => T | Promise<T>,
): Promise<T> {
  const { tenantId, keyId } = typeof work === 'string' ? { tenantId: work, keyId: null } : work;
  const book = await loadBook(client, tenantId, keyId, nowMs);
  if (book === null) throw noSuchTenant();
  const ended = bringUpToDate(book).filter(({ lease }) => lease === null);
  if (ended.length > 0)
    await releaseReservations(
      client,
      ended.map(({ operationId }) => operationId),
    );
  const answer = await decide(book);
  await saveBook(client, book);
  const isFreed = [...book.changedHolds].some(({ lease, endedMs }) => endedMs !== null && typeof lease?.recalledMs === 'number');
  if (isFreed) await notify(client, `freed ${tenantId}`);
  return answer;
}

export function noSuchTenant(): ServiceError {
  return notFound('unknown_tenant', 'There is no such tenant.');
}
