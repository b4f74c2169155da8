import type { Fault } from '@market-state/errors';
import { readToken, writeToken } from '@market-state/page-token';
import { z } from 'zod';
import type { Sent } from './completeness';
import type { Pinned } from './open-window';
import type { Place } from './window';
import type { WindowRequest } from './window-request';

/** Where the next page of a window begins, and what was sent before it. */
export interface WindowCursor {
  readonly pinned: Pinned;
  readonly after: Place;
  readonly sent: Sent;
}

const WHOLE = z.int().min(0);
const CURSOR = z.tuple([
  z.literal('w1'),
  z.string(),
  WHOLE,
  WHOLE,
  z.string(),
  WHOLE,
  WHOLE,
  WHOLE,
  WHOLE,
  WHOLE,
  WHOLE,
  z.string().regex(/^[0-9a-f]{64}$/),
]);

/** Opaque text of a cursor, bound to the window that it is of. */
export function writeWindowToken({ symbol, startMs, endMs, channels }: WindowRequest, { pinned, after, sent }: WindowCursor): string {
  const bound = ['w1', symbol, startMs, endMs, boundChannels(channels)];
  const place = [
    pinned.asOfMs,
    pinned.toOrdinal,
    after.ordinal,
    after.packetWindowEndMs,
    sent.logRows,
    sent.packets,
    sent.chain.toString('hex'),
  ];
  return writeToken([...bound, ...place]);
}

/** The cursor of a token of ours for the same window, or undefined. */
export function readWindowToken(token: string, request: WindowRequest): WindowCursor | undefined {
  const values = readToken(CURSOR, token);
  if (values === undefined) return undefined;
  const [, symbol, startMs, endMs, channels, asOfMs, toOrdinal, ordinal, packetWindowEndMs, logRows, packets, chain] = values;
  const isBound =
    symbol === request.symbol && startMs === request.startMs && endMs === request.endMs && channels === boundChannels(request.channels);
  if (!isBound || (request.asOfMs !== 0 && asOfMs > request.asOfMs)) return undefined;
  return {
    pinned: { asOfMs, toOrdinal },
    after: { ordinal, packetWindowEndMs },
    sent: { logRows, packets, chain: Buffer.from(chain, 'hex') },
  };
}

export function windowTokenFaults(token: string, request: WindowRequest): Fault[] {
  if (token === '' || readWindowToken(token, request) !== undefined) return [];
  return [{ field: 'page_token', message: 'does not come from an answer for this window', type: 'malformed' }];
}

/** The same set in another order is the same window. */
function boundChannels(channels: readonly string[]): string {
  return [...channels].sort().join();
}
