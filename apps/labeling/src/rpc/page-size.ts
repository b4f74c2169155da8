import type { Fault } from '@market-state/errors';

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
  const faults: Fault[] = [];
  if (pageSize > PAGE_SIZE_MAX) faults.push({ field: 'page_size', message: `must be at most ${PAGE_SIZE_MAX}`, type: 'out_of_range' });
  if (place === undefined) faults.push({ field: 'page_token', message: 'is not a token of this request', type: 'malformed' });
  return faults;
}
