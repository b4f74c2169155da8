import { type Fault, invalidArgument } from '@market-state/errors';
import { cutPage as cutFound, readToken, writeToken } from '@market-state/page-token';
import { idFaults, rangeFaults } from '@market-state/request-checks';
import type { Queryable } from '@market-state/postgres';
import { z } from 'zod';
import { isRowOfTenant, type PageStart, type TenantTable } from '../store/page-starts';

const LIMIT_MAX = 1_000;

/**
 * Prefixes of cursors, one per paged list: a tenant's events, keys, invoices, orders and receipts; the operator's tenants and orders.
 */
type PagedList = 'a1' | 'k1' | 'i1' | 'b1' | 'u1' | 't1' | 'o1';

const CURSOR = z.tuple([z.string(), z.int().min(0), z.string().regex(/^[a-z]{2,4}_[0-9a-z]{1,64}$/)]);

const CURSOR_FAULT: Fault = { field: 'cursor', message: 'must be a next_cursor from an earlier response of this list', type: 'malformed' };

/** Opaque cursor; contains only data that its row shows. */
export function encodeCursor(list: PagedList, { atMs, id }: PageStart): string {
  return writeToken([list, atMs, id]);
}

/** Null for the first page; undefined if the text is not a cursor of this list. */
export function decodeCursor(list: PagedList, cursor: string): PageStart | null | undefined {
  if (cursor === '') return null;
  const values = readToken(CURSOR, cursor);
  if (values === undefined || values[0] !== list) return undefined;
  const [, atMs, id] = values;
  return { atMs, id };
}

export function pageFaults(limit: number, place: PageStart | null | undefined): Fault[] {
  return [...rangeFaults('limit', limit, 1, LIMIT_MAX), ...(place === undefined ? [CURSOR_FAULT] : [])];
}

/**
 * First `limit` rows, and the cursor of the next page; empty on the last one.
 * @param rows one more than `limit` if there is a next page
 */
export function cutPage<Row>(list: PagedList, rows: readonly Row[], limit: number, placeOf: (row: Row) => PageStart) {
  const { page, nextPageToken } = cutFound(rows, limit, (last) => encodeCursor(list, placeOf(last)));
  return { page, nextCursor: nextPageToken };
}

export function foreignCursor(): Error {
  return invalidArgument([CURSOR_FAULT]);
}

/**
 * Page of a tenant's rows of a table.
 * @throws ServiceError INVALID_ARGUMENT, also for a cursor of another tenant
 */
export async function pageOfTenant<Row>(
  db: Queryable,
  [list, table]: readonly [PagedList, TenantTable],
  { tenantId, limit, cursor }: { readonly tenantId: string; readonly limit: number; readonly cursor: string },
  read: (on: Queryable, tenantId: string, limit: number, after: PageStart | null) => Promise<readonly Row[]>,
  placeOf: (row: Row) => PageStart,
) {
  const after = decodeCursor(list, cursor);
  const faults = [...idFaults('tenant_id', tenantId), ...pageFaults(limit, after)];
  if (faults.length > 0 || after === undefined) throw invalidArgument(faults);
  if (after !== null && !(await isRowOfTenant(db, table, tenantId, after))) throw foreignCursor();
  return cutPage(list, await read(db, tenantId, limit + 1, after), limit, placeOf);
}
