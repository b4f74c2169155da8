import { marketData } from '@market-state/contracts';
import type { GrpcClient } from '@market-state/grpc';
import { addDecimals, divideDecimals, multiplyDecimals } from '@market-state/market-data';
import { fromProtoSourceKind } from '../clients/source-kind';
import { jsonRepresentation } from '../http/representation';
import { toUtc } from '../http/utc';
import type { Handler } from './handler';
import { rowsMeta } from './rows-meta';
import { freshnessOf, sourceStatus } from './source-status';

/** Half of best bid plus best ask, exact, and the spread against it in basis points; null without both sides. */
export function midAndSpread(bestBid: string | undefined, bestAsk: string | undefined): { readonly mid: string | null; readonly spreadBps: number | null } {
  if (bestBid === undefined || bestAsk === undefined) return { mid: null, spreadBps: null };
  const mid = multiplyDecimals(addDecimals(bestBid, bestAsk), '0.5');
  const spread = addDecimals(bestAsk, `-${bestBid}`);
  return { mid, spreadBps: Number(divideDecimals(multiplyDecimals(spread, '10000'), mid, 6)) };
}

function remarkOf(book: marketData.GetBookResponse): string {
  const remarks: string[] = [];
  if (book.origin === marketData.BookOrigin.EVENT_LOG) remarks.push('Read from the event log, at most 25 levels a side: the feed did not answer.');
  if (book.sync === marketData.BookSync.RESYNCING) remarks.push('A sequence gap was met and a fresh snapshot is awaited.');
  if (book.sync === marketData.BookSync.DEGRADED) remarks.push('No fresh snapshot could be had: these are the last whole levels.');
  return remarks.join(' ');
}

function toLevel({ price, size }: marketData.BookLevel) {
  return { price, size };
}

export function getBook(client: GrpcClient<marketData.MarketDataServiceService>): Handler {
  return async ({ operation, input }) => {
    const depth = Number(input.query['depth']);
    const book = await client.call.getBook({ symbol: String(input.query['symbol']), depth });
    const sourceKind = fromProtoSourceKind(book.sourceKind);
    const state = freshnessOf(true, book.freshnessMs, book.stalenessLimitMs);
    const remark = remarkOf(book);
    const { mid, spreadBps } = midAndSpread(book.bids[0]?.price, book.asks[0]?.price);
    return jsonRepresentation({
      symbol: book.symbol,
      venue: book.venue,
      as_of_utc: toUtc(book.exchangeTsMs),
      source_status: sourceStatus(sourceKind, state, remark),
      bids: book.bids.map(toLevel),
      asks: book.asks.map(toLevel),
      depth_requested: depth,
      depth_returned: Math.max(book.bids.length, book.asks.length),
      sequence: book.sequence,
      exchange_time_utc: toUtc(book.exchangeTsMs),
      received_time_utc: toUtc(book.receivedTsMs),
      freshness_ms: book.freshnessMs,
      spread_bps: spreadBps,
      mid_price: mid,
      meta: rowsMeta(operation, sourceKind, state, false, remark === '' ? 'all' : 'fewer'),
    });
  };
}
