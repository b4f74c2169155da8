import { readToken, writeToken } from '@market-state/page-token';
import { z } from 'zod';
import { InvalidRequest } from '../../../serving/errors/problem';
import type { ReplayWindow } from '../../../streams/replay-window';

const CURSOR = z.tuple([z.literal('w1'), z.int().min(0), z.int().min(0), z.string().min(1)]);

/** A cursor that keeps the window of the first page, which may have been a default that moves with the clock. */
export function formatCursor({ startMs, endMs }: ReplayWindow, pageToken: string): string {
  return writeToken(['w1', startMs, endMs, pageToken]);
}

function invalidCursor(msg: string): InvalidRequest {
  return new InvalidRequest([{ loc: ['query', 'cursor'], msg, type: 'malformed' }]);
}

/**
 * The window and the data plane's own token of a cursor.
 * @throws InvalidRequest when it is none of ours, or when start or end are given and differ from those it was made for
 */
export function readCursor(
  cursor: string,
  startMs: number | null,
  endMs: number | null,
): { readonly window: ReplayWindow; readonly pageToken: string } {
  const values = readToken(CURSOR, cursor);
  if (values === undefined) throw invalidCursor('must be the next_cursor of an earlier answer for the same symbol and channels');
  const [, firstMs, lastMs, pageToken] = values;
  const window = { startMs: firstMs, endMs: lastMs };
  if ((startMs ?? window.startMs) !== window.startMs || (endMs ?? window.endMs) !== window.endMs) {
    throw invalidCursor('was made for another window: send the start and end of the first request, or neither');
  }
  return { window, pageToken };
}
