import type { marketData } from '@market-state/contracts';
import type { Fault } from '@market-state/errors';
import { readToken, writeToken } from '@market-state/page-token';
import { z } from 'zod';

/** Where the next page of candles begins. The end stays that of the first page, so that pages fit together. */
export interface CandleCursor {
  /** Open time of the first candle of the page. */
  readonly openMs: number;
  /** Exclusive end of all pages. */
  readonly toMs: number;
  /** What all pages are as of; 0: now. */
  readonly settledMs: number;
}

type CandleRequest = Pick<marketData.ListCandlesRequest, 'symbol' | 'intervalMs' | 'asOfMs' | 'pageToken'>;

const INSTANT = z.int().min(0).max(Date.UTC(2100, 0));
const CURSOR = z.tuple([z.literal('c1'), z.string(), z.int(), z.int(), INSTANT, INSTANT, INSTANT]);

/** Opaque text of a cursor, bound to symbol, interval and as-of. */
export function writeCandleToken({ symbol, intervalMs, asOfMs }: CandleRequest, { openMs, toMs, settledMs }: CandleCursor): string {
  return writeToken(['c1', symbol, intervalMs, asOfMs, openMs, toMs, settledMs]);
}

/** The cursor of a token of ours for the same candles, or undefined. */
export function readCandleToken({ symbol, intervalMs, asOfMs, pageToken }: CandleRequest): CandleCursor | undefined {
  const values = readToken(CURSOR, pageToken);
  if (values === undefined) return undefined;
  const [, ofSymbol, ofInterval, ofAsOf, openMs, toMs, settledMs] = values;
  const isBound = ofSymbol === symbol && ofInterval === intervalMs && ofAsOf === asOfMs && openMs % intervalMs === 0;
  return isBound ? { openMs, toMs, settledMs } : undefined;
}

export function candleTokenFaults(request: CandleRequest): Fault[] {
  if (request.pageToken === '' || readCandleToken(request) !== undefined) return [];
  return [{ field: 'page_token', message: 'does not come from an answer for these candles', type: 'malformed' }];
}
