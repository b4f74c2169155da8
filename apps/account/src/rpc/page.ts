import { type Fault, invalidArgument } from '@market-state/errors';
import { readToken, writeToken } from '@market-state/page-token';
import { rangeFaults } from '@market-state/request-checks';
import type { Queryable } from '@market-state/postgres';
import { z } from 'zod';
import { isRowOfTenant, type PageStart } from '../store/page-starts';

const LIMIT_MAX = 1_000;

/** The lists that are paged: keys, invoices and receipts of a tenant; tenants and orders of the operator. A cursor begins with its list. */
type PagedList = 'k1' | 'i1' | 'u1' | 't1' | 'o1';

const CURSOR = z.tuple([z.string(), z.int().min(0), z.string().regex(/^[a-z]{2,4}_[0-9a-z]{1,64}$/)]);

const CURSOR_FAULT: Fault = { field: 'cursor', message: 'must be the next_cursor of an earlier page of this list', type: 'malformed' };

/** Opaque text that names a row of one list; it says nothing that the row itself does not. */
export function encodeCursor(list: PagedList, { atMs, id }: PageStart): string {
  return writeToken([list, atMs, id]);
}

/** Null for the first page; undefined for a text that is no cursor of this list. */
export function decodeCursor(list: PagedList, cursor: string): PageStart | null | undefined {
  if (cursor === '') return null;
  const values = readToken(CURSOR, cursor);
  if (values === undefined || values[0] !== list) return undefined;
  const [, atMs, id] = values;
  return { atMs, id };
}

/** What is wrong with the page that was asked for. */
export function pageFaults(limit: number, place: PageStart | null | undefined): Fault[] {
  return [...rangeFaults('limit', limit, 1, LIMIT_MAX), ...(place === undefined ? [CURSOR_FAULT] : [])];
}

/** A cursor that no page of this tenant's list gave. */
export function foreignCursor(): Error {
  return invalidArgument([CURSOR_FAULT]);
}

/** @throws ServiceError INVALID_ARGUMENT for a cursor that names a row of someone else, or none */
export async function refuseForeignCursor(
  db: Queryable,
  table: 'api_key' | 'invoice',
  tenantId: string,
  place: PageStart | null,
): Promise<void> {
  if (place !== null && !(await isRowOfTenant(db, table, tenantId, place))) throw foreignCursor();
}
