import type { Fault } from '@market-state/errors';

const LIMIT_MAX = 1_000;

/** A row behind which a page begins: its time, milliseconds since the epoch, and its id. */
export interface PagePlace {
  readonly atMs: number;
  readonly id: string;
}

export function encodeCursor({ atMs, id }: PagePlace): string {
  return Buffer.from(`${atMs}:${id}`).toString('base64url');
}

/** Null for the first page; undefined for a text that is no cursor. */
export function decodeCursor(cursor: string): PagePlace | null | undefined {
  if (cursor === '') return null;
  const match = /^(\d{1,15}):([a-z]{2,4}_[0-9a-z]{1,32})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  return match === null ? undefined : { atMs: Number(match[1]), id: match[2] ?? '' };
}

export function limitFaults(limit: number): Fault[] {
  return limit >= 1 && limit <= LIMIT_MAX ? [] : [{ field: 'limit', message: `must be 1 to ${LIMIT_MAX}`, type: 'out_of_range' }];
}

/** What is wrong with the page that was asked for. */
export function pageFaults(limit: number, place: PagePlace | null | undefined): Fault[] {
  return [
    ...limitFaults(limit),
    ...(place === undefined ? [{ field: 'cursor', message: 'must be one that a page before gave', type: 'malformed' }] : []),
  ];
}
