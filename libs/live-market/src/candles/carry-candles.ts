import type { marketData } from '@market-state/contracts';
import { type TradeEvent, addDecimals, multiplyDecimals } from '@market-state/market-data';
import { isAfter, type LogPosition } from '../log-position';
import { toProtoSource } from '../proto-names';
import type { ReadVenue } from '../read-venue';
import type { SymbolMarket } from '../symbol-market';
import { TradeCandles, compareExact, exactOf, type TradeCandle } from './trade-candles';

/** Plain decimals without trailing zeros. */
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
  /** Milliseconds since the epoch; 0 if not recorded. */
  readonly lastReceivedMs: number;
}

/**
 * For trades in contracts, notional is contracts × contract value, which is exact; price × size, whose size is rounded,
 * is used only if the contract value is unknown.
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

/** Merges consecutive parts by opening time. */
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

/** `endMs` Infinity while open. */
export interface CandleGap {
  readonly startMs: number;
  readonly endMs: number;
}

export interface CandleSpan {
  readonly fromMs: number;
  readonly toMs: number;
  /** Start of the minute of the first recorded trade. */
  readonly firstTradeMs: number | undefined;
  /** Exchange time of the first book, from which rows are complete. */
  readonly wholeFromMs: number | undefined;
  /** Feed clock of the recording's end, or `asOfMs` if earlier. */
  readonly recordedClockMs: number | undefined;
  readonly recorded: LogPosition;
  /** Oldest first. */
  readonly rows: readonly CandleRow[];
  readonly gaps: readonly CandleGap[];
}

/** `row` is absent without trades. */
export interface Candle {
  readonly openMs: number;
  /** Exclusive. */
  readonly closeMs: number;
  readonly row: CandleRow | undefined;
  /** It opened after the first recorded book, and the recorded feed clock is past its end plus the closing lag. */
  readonly complete: boolean;
  /** On the trade channel. */
  readonly gap: boolean;
}

/** Milliseconds. */
interface SeriesSpan {
  readonly intervalMs: number;
  /** Inclusive, a multiple of the interval. */
  readonly fromMs: number;
  /** Exclusive, a multiple of the interval. */
  readonly toMs: number;
  readonly closingLagMs: number;
}

/** First opening time at or after an instant. */
export function openAtOrAfter(timeMs: number, intervalMs: number): number {
  return Math.ceil(timeMs / intervalMs) * intervalMs;
}

/** Opening time of the candle around an instant. */
export function openAtOrBefore(timeMs: number, intervalMs: number): number {
  return Math.floor(timeMs / intervalMs) * intervalMs;
}

/** Includes candles without trades. */
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

/** A zero-length gap affects the candle around it; a gap that only touches an edge does not. */
function overlaps({ startMs, endMs }: CandleGap, openMs: number, closeMs: number): boolean {
  if (startMs === endMs) return startMs >= openMs && startMs < closeMs;
  return startMs < closeMs && endMs > openMs;
}

type ProtoCandle = marketData.Candle;

export const CANDLES_MAX = 1_000;

/**
 * Adds later trades to an answer; unchanged candles are the same objects. Null if the stored rows could say otherwise:
 * trades are missing, out of order or repeated, an open gap may reach a new candle, or rows may be incomplete. Requires
 * an unchanged gap ledger.
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
  return { ...before, ...toProtoSource(venue), candles: carried };
}

/** Null if some may be missing or out of order. */
function tradesSince({ tape, followedFrom }: SymbolMarket, place: LogPosition): readonly TradeEvent[] | null {
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
