import type { MarketDataClient } from '../market-data-client';
import { publicGap } from '../../serving/answers/public-row';
import { definitions } from '../../serving/meta/definitions';

/** A packet's gap flags speak of so many milliseconds before its window's end. */
export const FLAGS_REACH_MS = definitions.numbers.windows.quality_ms;

/** Entries of the gap ledger that are given, at most. */
const GAPS_MAX = 100;

/** A span of exchange time, milliseconds since the epoch, and the instant as of which the ledger is read (0: now). */
export interface LedgerSpan {
  readonly symbol: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly asOfMs: number;
}

/** Gaps and seams that overlap a span, oldest first, and whether there are more. */
export async function readLedgerGaps(client: MarketDataClient, { symbol, fromMs, toMs, asOfMs }: LedgerSpan) {
  const { gaps, nextPageToken } = await client.call.listGaps({ symbol, fromMs, toMs, pageSize: GAPS_MAX, pageToken: '', asOfMs });
  return { rows: gaps.map(publicGap), row_total: gaps.length, more: nextPageToken !== '' };
}
