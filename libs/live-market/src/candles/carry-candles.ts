import type { marketData } from '@market-state/contracts';
import type { TradeEvent } from '@market-state/market-data';
import { isAfter, type LogPlace } from '../log-place';
import { toProtoSourceKind } from '../proto-names';
import type { ReadVenue } from '../read-venue';
import type { SymbolMarket } from '../symbol-market';
import { type CandleRow, joinCandles, toCandleRows, type Candle, openAtOrAfter, openAtOrBefore } from './candle-rows';
import { TradeCandles } from './trade-candles';

type ProtoCandle = marketData.Candle;

/** Candles of a page, at most. */
export const CANDLES_MAX = 1_000;

/**
 * Candles up to now: those of an earlier answer to the same request, carried on by the trades that were told since. What they do not move
 * is the same object as before. Null where that would not be what the rows say: trades are missing between the two, one came out of order
 * or again, an open gap may reach into a candle that is new, or the rows were not whole yet, and it is not known whether they are now. The
 * gap ledger must be as it was at the earlier answer.
 */
export function carryCandles(
  market: SymbolMarket,
  venue: ReadVenue,
  request: marketData.ListCandlesRequest,
  before: marketData.ListCandlesResponse,
): marketData.ListCandlesResponse | null {
  const { standing, candles } = before;
  const nowMs = market.clock.nowMs();
  const trades = standing === undefined ? null : tradesSince(market, standing);
  if (standing === undefined || standing.wholeFromMs === 0 || nowMs === undefined || trades === null) return null;
  const { intervalMs } = request;
  const endMs = openAtOrAfter(Math.min(request.toMs || Infinity, nowMs + 1), intervalMs);
  const wantedMs = request.fromMs === 0 ? Math.max(0, endMs - CANDLES_MAX * intervalMs) : openAtOrAfter(request.fromMs, intervalMs);
  const firstMs = Math.max(wantedMs, openAtOrBefore(standing.firstTradeMs, intervalMs));
  const [oldest] = candles;
  const newest = candles.at(-1);
  if (oldest === undefined || newest === undefined || firstMs < oldest.openTsMs) return null;
  if ((endMs - firstMs) / intervalMs > (request.pageSize || CANDLES_MAX) || (endMs > newest.closeTsMs && newest.gap)) return null;

  const added = new Map(rowsOf(trades, intervalMs, venue).map((row) => [row.openMs, row]));
  const closedMs = (market.controlMs ?? 0) - venue.closingLagMs;
  const carried: ProtoCandle[] = [];
  for (let openMs = firstMs; openMs < endMs; openMs += intervalMs) {
    const known = candles[(openMs - oldest.openTsMs) / intervalMs] ?? emptyCandle(openMs, intervalMs);
    const isComplete = known.complete || (standing.wholeFromMs <= openMs && closedMs >= known.closeTsMs);
    const row = added.get(openMs);
    if (row === undefined) carried.push(isComplete === known.complete ? known : { ...known, complete: isComplete });
    else carried.push(joined(known, row, isComplete));
  }
  return { ...before, venue: venue.venue, sourceKind: toProtoSourceKind(venue.sourceKind), candles: carried };
}

/** Trades behind a place of the log, in order; null where the market may not have all of them, or not in order. */
function tradesSince({ tape, followedFrom }: SymbolMarket, place: LogPlace): readonly TradeEvent[] | null {
  if (followedFrom === undefined || isAfter(followedFrom, { ...place, ordinal: place.ordinal + 1 })) return null;
  if (tape.disorderedTo !== undefined && isAfter(tape.disorderedTo, place)) return null;
  const all = tape.all();
  let from = all.length;
  for (let trade = all[from - 1]; trade !== undefined && isAfter(trade, place); trade = all[from - 1]) from -= 1;
  return from === 0 ? null : all.slice(from);
}

function rowsOf(trades: readonly TradeEvent[], intervalMs: number, { contractValue }: ReadVenue): CandleRow[] {
  const candles = new TradeCandles(intervalMs);
  for (const trade of trades) candles.add(trade);
  return toCandleRows(candles.list(), contractValue);
}

function emptyCandle(openMs: number, intervalMs: number): ProtoCandle {
  return toProtoCandle({ openMs, closeMs: openMs + intervalMs, row: undefined, complete: false, gap: false });
}

/** A candle with what later trades add to it. */
function joined(known: ProtoCandle, row: CandleRow, complete: boolean): ProtoCandle {
  const { openTsMs: openMs, closeTsMs: closeMs, open, high, low, close, volume, notional, tradeTotal, lastReceivedTsMs, gap } = known;
  const parts =
    tradeTotal === 0 ? [row] : [{ openMs, open, high, low, close, volume, notional, tradeTotal, lastReceivedMs: lastReceivedTsMs }, row];
  return toProtoCandle({ openMs, closeMs, row: joinCandles(parts)[0], complete, gap });
}

export function toProtoCandle({ openMs, closeMs, row, complete, gap }: Candle): ProtoCandle {
  return {
    openTsMs: openMs,
    closeTsMs: closeMs,
    open: row?.open ?? '',
    high: row?.high ?? '',
    low: row?.low ?? '',
    close: row?.close ?? '',
    volume: row?.volume ?? '0',
    notional: row?.notional ?? '0',
    tradeTotal: row?.tradeTotal ?? 0,
    complete,
    gap,
    lastReceivedTsMs: row?.lastReceivedMs ?? 0,
  };
}
