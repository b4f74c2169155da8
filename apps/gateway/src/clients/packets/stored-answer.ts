import { type ServedSymbol, sharedVenue } from '../market-data-client';
import { dataAnswer } from '../../serving/answers/data-answer';
import type { CallContext } from '../../serving/answers/handler';

export interface StoredRead {
  /** `ALL`: every symbol. */
  readonly symbol: string;
  readonly served: readonly ServedSymbol[];
  /** Requested instant; 0: now. */
  readonly asOfMs: number;
  readonly nowMs: number;
  readonly detail: string;
  readonly found: boolean;
}

export function storedAnswer<T extends object>(
  call: Pick<CallContext, 'operation' | 'grant'>,
  { symbol, served, asOfMs, nowMs, detail, found }: StoredRead,
  fields: T,
) {
  const read = served.filter((candidate) => symbol === 'ALL' || candidate.symbol === symbol);
  const source = {
    symbol,
    venue: sharedVenue(read),
    asOfMs: asOfMs === 0 ? nowMs : Math.min(asOfMs, nowMs),
    kinds: read.map(({ kind }) => kind),
    state: 'fresh',
    detail,
    held: found ? 'all' : 'none',
    stored: true,
  } as const;
  return dataAnswer(call, source, { not_a_signal: true as const, ...fields });
}
