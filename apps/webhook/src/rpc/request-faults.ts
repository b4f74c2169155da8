import type { Fault } from '@market-state/errors';
import { cutPage, pageTokenFaults, readToken, writeToken } from '@market-state/page-token';
import { controlFaults, idFaults, lengthFaults, rangeFaults, refuseFaults } from '@market-state/request-checks';
import { z } from 'zod';
import type { ListPage, ListPlace } from '../store/list-page';

const NAME_LENGTH_MAX = 100;

export function nameFaults(name: string): Fault[] {
  return [...lengthFaults('name', name, 1, NAME_LENGTH_MAX), ...controlFaults('name', name)];
}

const PAGE_SIZE = 100;
const PAGE_SIZE_MAX = 1_000;

/** Page size from 1 to 1000; 0 means 100. */
export function pageSizeOf(requested: number): number {
  return requested === 0 ? PAGE_SIZE : requested;
}

export function pageSizeFaults(requested: number): Fault[] {
  return rangeFaults('page_size', requested, 0, PAGE_SIZE_MAX);
}

const TOKEN = z.array(z.union([z.string(), z.int()]));

function readPlace(list: readonly string[], pageToken: string): ListPlace | undefined {
  const values = readToken(TOKEN, pageToken) ?? [];
  const [atMs, id] = values.slice(list.length);
  const isOfList = values.length === list.length + 2 && list.every((word, index) => values[index] === word);
  return isOfList && typeof atMs === 'number' && typeof id === 'string' ? { atMs, id } : undefined;
}

/**
 * Page of a list, newest first.
 * @param list mark of the list, and what its tokens are valid for
 * @param faults of the other fields
 */
export async function pageOf<Row>(
  list: readonly string[],
  { pageSize, pageToken }: { readonly pageSize: number; readonly pageToken: string },
  faults: readonly Fault[],
  read: (page: ListPage) => Promise<readonly Row[]>,
  placeOf: (row: Row) => ListPlace,
) {
  const after = readPlace(list, pageToken);
  refuseFaults(faults, pageSizeFaults(pageSize), pageTokenFaults(pageToken, after));
  const limit = pageSizeOf(pageSize);
  return cutPage(await read({ after, limit: limit + 1 }), limit, (last) => {
    const { atMs, id } = placeOf(last);
    return writeToken([...list, atMs, id]);
  });
}

export function operationFaults(operationId: string | undefined): Fault[] {
  return operationId === undefined ? [] : idFaults('operation_id', operationId);
}

export function futureFaults(field: string, ms: number, nowMs: number): Fault[] {
  return ms > nowMs ? [{ field, message: 'must not be in the future', type: 'in_the_future' }] : [];
}
