import { notFound, type ServiceError } from '@market-state/errors';
import { inTransaction, withAdvisoryLock } from '@market-state/postgres';
import type { PoolClient } from 'pg';
import { lockTenant, readBook, saveBook } from '../store/credit-ledger';
import { notify } from '../store/outbox';
import { releaseReservations } from '../store/reservations';
import { listDueTenants } from '../store/tenants';
import type { Book } from './credit-ledger';
import { bringUpToDate } from './bring-up-to-date';
import type { Credits } from './credits';

/**
 * Reads a tenant's credits without a lock. If time-driven changes are not written yet, opens the book as for work, so
 * that the reported state is stored.
 * @param look must not change the book
 * @throws ServiceError `unknown_tenant`
 */
export async function readCreditBook<T>(
  { pool, clock }: Pick<Credits, 'pool' | 'clock'>,
  work: WorkOf,
  look: (book: Book) => T,
): Promise<T> {
  const nowMs = clock();
  const book = await readBook(pool, work.tenantId, work.keyId, nowMs);
  if (book === null) throw noSuchTenant();
  if (isUpToDate(book)) return look(book);
  return inTransaction(pool, (client) => withBook(client, work, nowMs, look));
}

/** Brings the book up to date. Returns true if that changed nothing. */
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

export interface WorkOf {
  readonly tenantId: string;
  /** Null: no ceiling applies. */
  readonly keyId: string | null;
}

/**
 * Locks the tenant, brings its book up to date, runs `decide`, and writes the book. If `decide` throws, the transaction
 * must be rolled back.
 * @param work with `keyId` null: the tenant only
 * @throws ServiceError `unknown_tenant`
 */
export async function withBook<T>(
  client: PoolClient,
  work: string | WorkOf,
  nowMs: number,
  decide: (book: Book) => T | Promise<T>,
): Promise<T> {
  const { tenantId } = typeof work === 'string' ? { tenantId: work } : work;
  if (!(await lockTenant(client, tenantId))) throw noSuchTenant();
  return withLockedBook(client, work, nowMs, decide);
}

/** Like `withBook`, for a transaction that has locked the tenant. */
export async function withLockedBook<T>(
  client: PoolClient,
  work: string | WorkOf,
  nowMs: number,
  decide: (book: Book) => T | Promise<T>,
): Promise<T> {
  const { tenantId, keyId } = typeof work === 'string' ? { tenantId: work, keyId: null } : work;
  const book = await readBook(client, tenantId, keyId, nowMs);
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

const SWEEP_LOCK = 5_230_001;
const TENANTS_MAX = 1_000;

/** Brings tenants with time-driven changes up to date. Does nothing while another process does it. */
export async function sweepCredits({ pool, clock, logger }: Pick<Credits, 'pool' | 'clock' | 'logger'>): Promise<number> {
  let swept = 0;
  await withAdvisoryLock(pool, SWEEP_LOCK, async (client) => {
    for (const tenantId of await listDueTenants(client, clock(), TENANTS_MAX)) {
      await inTransaction(pool, (own) => withBook(own, tenantId, clock(), () => undefined)).then(
        () => (swept += 1),
        (error: unknown) => logger.error({ err: error, tenant_id: tenantId }, 'bringing credits up to date failed'),
      );
    }
  });
  return swept;
}
