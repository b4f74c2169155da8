import { type Fault } from '@market-state/errors';
import { z } from 'zod';

/** Where the next page of candles begins. The end stays that of the first page, so that pages fit together. */
export interface CandleCursor {
  readonly symbol: string;
  /** Open time of the first candle of the page. */
  readonly openMs: number;
  /** Exclusive end of all pages. */
  readonly toMs: number;
}

const INSTANT = z.int().min(0).max(Date.UTC(2100, 0));
const CURSOR = z.tuple([z.string(), INSTANT.multipleOf(60_000), INSTANT]);

/** Opaque text of a cursor. */
export function writePageToken({ symbol, openMs, toMs }: CandleCursor): string {
  return Buffer.from(JSON.stringify([symbol, openMs, toMs])).toString('base64url');
}

/** The cursor of a token of ours for the same symbol, or undefined. */
export function readPageToken(token: string, symbol: string): CandleCursor | undefined {
  if (!/^[A-Za-z0-9_-]{1,200}$/.test(token)) return undefined;
  const result = CURSOR.safeParse(parseJson(Buffer.from(token, 'base64url').toString()));
  if (!result.success || result.data[0] !== symbol) return undefined;
  return { symbol, openMs: result.data[1], toMs: result.data[2] };
}

export function pageTokenFaults(token: string, symbol: string): Fault[] {
  if (token === '' || readPageToken(token, symbol) !== undefined) return [];
  return [{ field: 'page_token', message: 'does not come from an answer for this symbol', type: 'malformed' }];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
