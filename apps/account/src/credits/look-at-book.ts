import { inTransaction } from '@market-state/postgres';
import { readBook } from '../store/load-book';
import type { Book } from './book';
import { bringUpToDate } from './bring-up-to-date';
import type { Credits } from './credits';
import { noSuchTenant, withBook, type WorkOf } from './with-book';

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
