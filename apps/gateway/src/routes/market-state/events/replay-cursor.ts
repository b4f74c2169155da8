import { readToken, writeToken } from '@market-state/page-token';
import { z } from 'zod';
import { InvalidRequest } from '../../../serving/errors/problem';

/** What every replay cursor begins with. */
const PREFIX = 'rc1.';
/** Of a packet: it opens the window that ends with it. */
const OF_PACKET = /^rc1\.([A-Z0-9]{1,20}USD-PERP)\.(\d{1,15})$/;
const OF_PAGE = z.tuple([z.literal('p1'), z.string(), z.int().min(0), z.int().min(0), z.int().min(0), z.int().min(0)]);

/** A window of packets: those whose window ends after `afterMs` and by `endMs`, milliseconds since the epoch. */
export interface PacketWindow {
  readonly symbol: string;
  readonly startMs: number;
  readonly endMs: number;
  /** 0: now. */
  readonly asOfMs: number;
}

/** Where a replay is to be taken up. */
export type ReplayPlace =
  /** At the start of the window that ends with the newest packet. */
  | { readonly kind: 'newest' }
  /** At the start of the window that ends here. */
  | { readonly kind: 'ends_at'; readonly endMs: number }
  /** Inside a window, after a packet. */
  | { readonly kind: 'goes_on'; readonly endMs: number; readonly afterMs: number };

/** What a replay was asked for. */
interface ReplayAsked {
  readonly symbol: string;
  readonly windowMs: number;
  readonly asOfMs: number;
}

/** @throws InvalidRequest for a cursor that is none, or that belongs to another symbol, window or instant */
export function readReplayCursor(cursor: string, { symbol, windowMs, asOfMs }: ReplayAsked): ReplayPlace {
  if (cursor === '') return { kind: 'newest' };
  const ofPacket = OF_PACKET.exec(cursor);
  if (ofPacket !== null) {
    if (ofPacket[1] !== symbol) throw refused(`is of ${String(ofPacket[1])}, not of ${symbol}`);
    return { kind: 'ends_at', endMs: Number(ofPacket[2]) };
  }
  const page = cursor.startsWith(PREFIX) ? readToken(OF_PAGE, cursor.slice(PREFIX.length)) : undefined;
  if (page === undefined) throw refused('must be the next_cursor of an earlier answer, or the replay cursor of a packet');
  const [, ofSymbol, ofWindowMs, endMs, ofAsOfMs, afterMs] = page;
  if (ofSymbol !== symbol || ofWindowMs !== windowMs || ofAsOfMs !== asOfMs)
    throw refused('goes with the symbol, replay_window_seconds and as_of that it was given for');
  return { kind: 'goes_on', endMs, afterMs };
}

/** The place after a packet of a window. */
export function writeReplayCursor({ symbol, startMs, endMs, asOfMs }: PacketWindow, afterMs: number): string {
  return PREFIX + writeToken(['p1', symbol, endMs - startMs, endMs, asOfMs, afterMs]);
}

function refused(msg: string): InvalidRequest {
  return new InvalidRequest([{ loc: ['query', 'cursor'], msg, type: 'malformed' }]);
}
