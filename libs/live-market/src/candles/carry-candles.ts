import type { marketData } from '@market-state/contracts';
import { type TradeEvent, addDecimals, multiplyDecimals } from '@market-state/market-data';
import { isAfter, type LogPlace } from '../log-place';
import { toProtoSourceKind } from '../proto-names';
import type { ReadVenue } from '../read-venue';
import type { SymbolMarket } from '../symbol-market';
import { TradeCandles, compareExact, exactOf, type TradeCandle } from './trade-candles';

/** A candle with trades. Decimals in plain notation without trailing zeros. */
export interface CandleRow {
  readonly openMs: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  /** Base units. */
  readonly volume: string;
  /** Quote currency. */
  readonly notional: string;
  readonly tradeTotal: number;
  /** Receive time of its newest trade in milliseconds since the epoch; 0 if not recorded. */
  readonly lastReceivedMs: number;
}

/**
 * Converts trade sums to candles. For trades in contracts, notional is contracts × contract value, which is exact:
 * price × size includes the rounding of the size and is used only if the contract value is unknown.
 */
export function toCandleRows(candles: readonly TradeCandle[], contractValue: string | undefined): CandleRow[] {
  return candles.map(({ openMs, open, high, low, close, volume, value, contracts, contractTrades, tradeTotal, lastReceivedMs }) => {
    const ofContracts = contractValue === undefined ? contractTrades.toString() : multiplyDecimals(contracts.toString(), contractValue);
    return {
      openMs,
      open: open.price,
      high: high.price,
      low: low.price,
      close: close.price,
      volume: addDecimals(volume.toString(), '0'),
      notional: addDecimals(value.toString(), ofContracts),
      tradeTotal,
      lastReceivedMs,
    };
  });
}

/** Merges consecutive parts into one candle per opening time. */
export function joinCandles(parts: readonly CandleRow[]): CandleRow[] {
  const joined: CandleRow[] = [];
  for (const part of parts) {
    const before = joined.at(-1);
    if (before?.openMs === part.openMs) joined[joined.length - 1] = join(before, part);
    else joined.push(part);
  }
  return joined;
}

function join(before: CandleRow, after: CandleRow): CandleRow {
  return {
    openMs: before.openMs,
    open: before.open,
    high: compareExact(exactOf(after.high), exactOf(before.high)) > 0 ? after.high : before.high,
    low: compareExact(exactOf(after.low), exactOf(before.low)) < 0 ? after.low : before.low,
    close: after.close,
    volume: addDecimals(before.volume, after.volume),
    notional: addDecimals(before.notional, after.notional),
    tradeTotal: before.tradeTotal + after.tradeTotal,
    lastReceivedMs: Math.max(before.lastReceivedMs, after.lastReceivedMs),
  };
}

/** Gap on the trade channel; `endMs` Infinity while open. */
export interface CandleGap {
  readonly startMs: number;
  readonly endMs: number;
}

/** Stored candles of a span. */
export interface CandleSpan {
  /** The span that was read. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Start of the minute of the first recorded trade; undefined without one. */
  readonly firstTradeMs: number | undefined;
  /** Exchange time of the first book, from which rows are complete; undefined before it. */
  readonly wholeFromMs: number | undefined;
  /** Feed clock up to which the log is recorded, or `asOfMs` if earlier; undefined before the first control entry. */
  readonly recordedClockMs: number | undefined;
  /** Last log entry recorded at the time of the read. */
  readonly recorded: LogPlace;
  /** Candles with at least one trade, oldest first. */
  readonly rows: readonly CandleRow[];
  readonly gaps: readonly CandleGap[];
}

/** Candle of a series; `row` is absent if it has no trades. */
export interface Candle {
  readonly openMs: number;
  /** Exclusive. */
  readonly closeMs: number;
  readonly row: CandleRow | undefined;
  /**
   * Fully recorded: it opened after the first recorded book, and the recorded feed clock is past its end plus the
   * closing lag.
   */
  readonly complete: boolean;
  /** A gap of the trade channel overlaps it. */
  readonly gap: boolean;
}

/** Range of a series, in milliseconds. */
interface SeriesSpan {
  readonly intervalMs: number;
  /** Inclusive, a multiple of the interval. */
  readonly fromMs: number;
  /** Exclusive, a multiple of the interval. */
  readonly toMs: number;
  readonly closingLagMs: number;
}

/** Opening time of the first candle at or after an instant. */
export function openAtOrAfter(timeMs: number, intervalMs: number): number {
  return Math.ceil(timeMs / intervalMs) * intervalMs;
}

/** Opening time of the candle that contains an instant. */
export function openAtOrBefore(timeMs: number, intervalMs: number): number {
  return Math.floor(timeMs / intervalMs) * intervalMs;
}

/** Returns every candle of a span, with or without trades. */
export function candleSeries(stored: CandleSpan, { intervalMs, fromMs, toMs, closingLagMs }: SeriesSpan): Candle[] {
  const rows = new Map(stored.rows.map((row) => [row.openMs, row]));
  const { wholeFromMs = Infinity, recordedClockMs = -Infinity } = stored;
  const candles: Candle[] = [];
  for (let openMs = fromMs; openMs < toMs; openMs += intervalMs) {
    const closeMs = openMs + intervalMs;
    candles.push({
      openMs,
      closeMs,
      row: rows.get(openMs),
      complete: wholeFromMs <= openMs && recordedClockMs >= closeMs + closingLagMs,
      gap: stored.gaps.some((gap) => overlaps(gap, openMs, closeMs)),
    });
  }
  return candles;
}

/** A zero-length gap affects the candle that contains it; a gap that only touches a candle's edge does not. */
function overlaps({ startMs, endMs }: CandleGap, openMs: number, closeMs: number): boolean {
  if (startMs === endMs) return startMs >= openMs && startMs < closeMs;
  return startMs < closeMs && endMs > openMs;
}

type ProtoCandle = marketData.Candle;

/** Maximum candles per page. */
export const CANDLES_MAX = 1_000;

/**
 * Updates an earlier answer to the same request with the trades received since; unchanged parts are the same objects.
 * Returns null if the result could differ from the stored rows: trades are missing, out of order or repeated, an open
 * gap may reach a new candle, or rows were incomplete and may still be. Requires an unchanged gap ledger.
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

/** Trades after a log position, in order; null if the market may not have all of them or they are out of order. */
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

/** Adds later trades to a candle. */
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
