import type { Fault } from '@market-state/errors';
import { rangeFaults } from '@market-state/request-checks';

const PAGE_SIZE_MAX = 1_000;
const PAGE_SIZE_DEFAULT = 100;

interface PageRequest {
  readonly pageSize: number;
}

export function pageSizeOf({ pageSize }: PageRequest): number {
  return pageSize === 0 ? PAGE_SIZE_DEFAULT : pageSize;
}

/** @param place what the page token stands for; undefined: it stands for nothing */
export function pageFaults({ pageSize }: PageRequest, place: unknown): Fault[] {
  const faults = pageSize === 0 ? [] : rangeFaults('page_size', pageSize, 1, PAGE_SIZE_MAX);
  if (place === undefined) faults.push({ field: 'page_token', message: 'is not a token of this request', type: 'malformed' });
  return faults;
}
