import { marketData } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import { addDecimals, divideDecimals, multiplyDecimals } from '@market-state/market-data';
import { type MarketDataClient, servedSymbol, fromProtoSourceKind } from '../../clients/market-data-client';
import { jsonRepresentation } from '../../serving/http/representation';
import { toUtc } from '../../serving/meta/meta';
import { clockSkew } from '../../serving/answers/symbol-freshness';
import { type AnswerContext, dataAnswer, freshnessOf } from '../../serving/answers/data-answer';
import type { Handler, InputOf } from '../../serving/answers/handler';
import type { Described } from '../../serving/openapi/document';
import type { ReadDeps } from '../../clients/upstreams';

/** Spread in basis points of the exact mid price; null unless both sides exist. */
export function midAndSpread(
  bestBid: string | undefined,
  bestAsk: string | undefined,
): { readonly mid: string | null; readonly spreadBps: number | null } {
  if (bestBid === undefined || bestAsk === undefined) return { mid: null, spreadBps: null };
  const mid = multiplyDecimals(addDecimals(bestBid, bestAsk), '0.5');
  const spread = addDecimals(bestAsk, `-${bestBid}`);
  return { mid, spreadBps: Number(divideDecimals(multiplyDecimals(spread, '10000'), mid, 6)) };
}

function remarkOf(book: marketData.GetBookResponse): string {
  const remarks: string[] = [];
  if (book.origin === marketData.BookOrigin.UNSPECIFIED) remarks.push('From recorded rows, up to 25 levels per side.');
  if (book.origin === marketData.BookOrigin.EVENT_LOG)
    remarks.push('The feed did not respond; read from the event log, up to 25 levels per side.');
  if (book.sync === marketData.BookSync.RESYNCING) remarks.push('Sequence gap detected; waiting for a fresh snapshot.');
  if (book.sync === marketData.BookSync.DEGRADED) remarks.push('No fresh snapshot is available; these are the last complete levels.');
  return remarks.join(' ');
}

function toLevel({ price, size }: marketData.BookLevel): Described<'BookLevel'> {
  return { price, size };
}

export function bookAnswer(call: AnswerContext, { depth }: InputOf<'getBookL2Latest'>['query'], book: marketData.GetBookResponse) {
  const remark = remarkOf(book);
  const { mid, spreadBps } = midAndSpread(book.bids[0]?.price, book.asks[0]?.price);
  const source = {
    symbol: book.symbol,
    venue: book.venue,
    asOfMs: book.exchangeTsMs,
    kinds: [fromProtoSourceKind(book.sourceKind)],
    state: freshnessOf(true, book.freshnessMs, book.stalenessLimitMs),
    remark,
    held: remark === '' ? ('all' as const) : ('fewer' as const),
  };
  return dataAnswer(call, source, {
    bids: book.bids.map(toLevel),
    asks: book.asks.map(toLevel),
    depth_requested: depth,
    depth_returned: Math.max(book.bids.length, book.asks.length),
    pass: book.pass,
    venue_id: book.venueId,
    sequence: book.sequence,
    exchange_time_utc: toUtc(book.exchangeTsMs),
    received_time_utc: toUtc(book.receivedTsMs),
    freshness_ms: book.freshnessMs,
    ...clockSkew(book.exchangeTsMs, book.receivedTsMs),
    spread_bps: spreadBps,
    mid_price: mid,
  });
}

/** Null if the venue reports a book that is still to come. */
async function bookLacking(client: MarketDataClient, call: AnswerContext, { symbol, depth }: InputOf<'getBookL2Latest'>['query']) {
  const { venue, kind, reports } = await servedSymbol(client, symbol);
  if (reports('book')) return null;
  const { feedClockMs } = await client.call.getFreshness({ symbol });
  const source = { symbol, venue, asOfMs: feedClockMs, kinds: [kind], state: 'missing' as const, lacking: 'books' };
  return dataAnswer(call, source, {
    bids: [],
    asks: [],
    depth_requested: depth,
    depth_returned: 0,
    pass: null,
    venue_id: null,
    sequence: null,
    exchange_time_utc: null,
    received_time_utc: null,
    freshness_ms: null,
    venue_clock_ahead: false,
    clock_skew_ms: null,
    spread_bps: null,
    mid_price: null,
  });
}

export function getBookL2Latest({ marketData: client }: Pick<ReadDeps, 'marketData'>): Handler<'getBookL2Latest'> {
  return async (call) => {
    const { query } = call.input;
    const { symbol, depth } = query;
    try {
      const answer = bookAnswer(call, query, await client.call.getBook({ symbol, depth }));
      return { ...jsonRepresentation(answer), observed: answer.depth_returned };
    } catch (error) {
      const lacking = isServiceError(error) && error.reason === 'book_not_available' ? await bookLacking(client, call, query) : null;
      if (lacking === null) throw error;
      return { ...jsonRepresentation(lacking), observed: 0 };
    }
  };
}
