import { notFound, type ServiceError } from '@market-state/errors';
import { inTransaction } from '@market-state/postgres';
import type { PoolClient } from 'pg';
import { loadBook, readBook, saveBook } from '../store/book';
import { notify } from '../store/outbox';
import { releaseReservations } from '../store/reservations';
import type { Book } from './book';
import { bringUpToDate } from './bring-up-to-date';
import type { Credits } from './credits';

/**
 * Says something of a tenant's credits, from one statement and without holding the tenant. Only where time has brought something that is
 * not written yet, such as a new day, is the book opened as for work, so that what is told of stays.
 * @param look changes nothing of the book
 * @throws ServiceError NOT_FOUND with reason `unknown_tenant`
 */
export async function lookAtBook<T>({ pool, clock }: Pick<Credits, 'pool' | 'clock'>, work: WorkOf, look: (book: Book) => T): Promise<T> {
  const nowMs = clock();
  const book = await readBook(pool, work.tenantId, work.keyId, nowMs);
  if (book === null) throw noSuchTenant();
  if (isUpToDate(book)) return look(book);
  return inTransaction(pool, (client) => withBook(client, work, nowMs, look));
}

/** Whether time has brought nothing since the book was written; it is brought up to date. */
function isUpToDate(book: Book): boolean {
  const days = daysOf(book);
  const ended = bringUpToDate(book);
  const changed = [book.postings, book.events, ended].some(({ length }) => length > 0) || book.planChanged;
  return !changed && book.changedGrants.size + book.changedHolds.size + book.changedCeilings.size === 0 && days === daysOf(book);
}

function daysOf({ totals }: Book): string {
  return Object.values(totals)
    .map(({ dayMs }) => dayMs)
    .join();
}

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
