import { InvalidRequest } from '../../../serving/errors/fault-item';
import type { ReplayWindow } from './replay-window';

const CURSOR = /^([0-9a-z]{1,10})\.([0-9a-z]{1,10})\.(.+)$/s;

/** A cursor that keeps the window of the first page, which may have been a default that moves with the clock. */
export function formatCursor({ startMs, endMs }: ReplayWindow, pageToken: string): string {
  return `${startMs.toString(36)}.${endMs.toString(36)}.${pageToken}`;
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
  const [, start = '', end = '', pageToken = ''] = CURSOR.exec(cursor) ?? [];
  if (pageToken === '') throw invalidCursor('must be the next_cursor of an earlier answer for the same symbol and channels');
  const window = { startMs: Number.parseInt(start, 36), endMs: Number.parseInt(end, 36) };
  if ((startMs ?? window.startMs) !== window.startMs || (endMs ?? window.endMs) !== window.endMs) {
    throw invalidCursor('was made for another window: send the start and end of the first request, or neither');
  }
  return { window, pageToken };
}
