import type { PolicyNumbers } from '../policy/numbers';
import type { Features } from '../names';
import type { SourceFamily, SourceRead, Side } from '../read';
import {
  midOf,
  depth,
  imbalance,
  type EntryWindows,
  type OpenInterestRecord,
  type LiquidationRecord,
  type TradeRecord,
  type BookRecord,
} from '../windows/entry-windows';
import { readStateWindow, type StateWindowRead } from './state-window';
import { round6, clamp } from '../numbers/round';
import { nearestRank, type Sample } from '../numbers/samples';

type EntryFeatures = Omit<Features, 'lineage_price_move_bps_abs' | 'lineage_vote_score' | 'source_resolved_family_total'>;

interface BookRead {
  readonly tsMs: number;
  readonly bestBid: string;
  readonly bestAsk: string;
  /** Not rounded. */
  readonly mid: number;
  readonly spreadBps: number;
  readonly imbalances: { readonly top1: number; readonly top3: number; readonly top5: number };
  /** B_5 + A_5, base units, not rounded. */
  readonly depth: number;
  readonly churn: number | null;
  readonly fragility: Fragility;
  readonly freshnessMs: number;
}

export interface EntryRead {
  readonly book: BookRead | null;
  readonly trades: { readonly count: number; readonly imbalance: number | null; readonly largeShare: number | null } | null;
  readonly tradedNotionalUsd: number;
  readonly context: { readonly fundingRateAbs: number | null; readonly openInterestChange: number | null; readonly fresh: boolean } | null;
  readonly liquidations: LiquidationFeatures | null;
  readonly state: StateWindowRead;
  readonly features: EntryFeatures;
  /** Ratios with a zero denominator, counted as 0. */
  readonly notAvailable: readonly string[];
}

/**
 * Reads the windows at T, which contain nothing later than T. Computes, in addition to the formulas it calls:
 * recent_trade_count, trades in (T − 60 s, T]; funding_rate_abs, the absolute last rate sent, per hour, 12 decimals;
 * open_interest_context_present, 1 while the family is resolved, else 0; freshness_ms, T − exchange time of the book
 * used, at least 0. Source: the usual definitions.
 */
export function readEntries(
  windows: EntryWindows,
  windowEndMs: number,
  session: SessionBook,
  sources: readonly SourceRead[],
  bookStalenessMs: number,
  numbers: PolicyNumbers,
): EntryRead {
  const present = (family: SourceFamily): boolean => sources.some((source) => source.family === family && source.status !== 'missing');
  const book = present('book') ? readBook(windows, windowEndMs, session, numbers) : null;
  const trades = present('trades') ? readTrades(windows, windowEndMs, numbers) : null;
  const context = present('asset_context') ? readContext(windows, windowEndMs, sources, numbers) : null;
  const liquidations = present('liquidations') ? readLiquidations(windows, windowEndMs, numbers) : null;
  const state = readStateWindow(windows, windowEndMs, bookStalenessMs, { book: book !== null, trades: trades !== null }, numbers);
  const notionalStart = windows.cuts.windowStart('trade', windowEndMs, numbers.windows.notional_ms);
  return {
    book,
    trades,
    tradedNotionalUsd: trades === null ? 0 : tradedNotional(windows.trades.after(notionalStart)),
    context,
    liquidations,
    state,
    features: {
      spread_bps: book && book.spreadBps,
      visible_depth_imbalance_top1_abs: book && Math.abs(book.imbalances.top1),
      visible_depth_imbalance_top3_abs: book && Math.abs(book.imbalances.top3),
      visible_depth_imbalance_top5_abs: book && Math.abs(book.imbalances.top5),
      recent_trade_count: trades && trades.count,
      trade_imbalance_abs: trades && Math.abs(trades.imbalance ?? 0),
      large_trade_share: trades && (trades.largeShare ?? 0),
      funding_rate_abs: context && context.fundingRateAbs,
      open_interest_context_present: context?.fresh === true ? 1 : 0,
      liquidation_event_count: liquidations && liquidations.total,
      liquidation_notional_usd: liquidations && liquidations.notionalUsd,
      liquidation_skew_abs: liquidations && Math.abs(liquidations.skew ?? 0),
      liquidation_pressure_direction: liquidations && liquidations.direction,
      queue_fragility_score: book && book.fragility.score,
      freshness_ms: book && book.freshnessMs,
    },
    notAvailable: [
      ...(book !== null && book.churn === null ? ['churn'] : []),
      ...(trades !== null && trades.imbalance === null ? ['trade_imbalance_abs', 'large_trade_share'] : []),
      ...(state.trades !== null && state.trades.flow === null ? ['flow_180s', 'flow_10s'] : []),
      ...(liquidations !== null && liquidations.skew === null ? ['liquidation_skew_abs'] : []),
    ],
  };
}

function readBook(windows: EntryWindows, windowEndMs: number, session: SessionBook, numbers: PolicyNumbers): BookRead | null {
  const { current } = windows.books;
  const mid = midOf(current);
  if (current === null || mid === null) return null;
  const startMs = windowEndMs - numbers.windows.book_ms;
  const cutMs = windows.cuts.newestBefore('book', windowEndMs);
  const top5 = imbalance(current.bidSizes, current.askSizes, 5) ?? 0;
  const books = windows.books.since(startMs);
  const spread = spreadBps(current.bid, current.ask, mid);
  const churnShare = churn(books, windows.trades.records.toArray(), cutMs, startMs, numbers.features.churn_fall_ratio);
  const depth5 = depth(current.bidSizes, 5) + depth(current.askSizes, 5);
  return {
    tsMs: current.tsMs,
    bestBid: current.bestBid,
    bestAsk: current.bestAsk,
    mid,
    spreadBps: spread,
    imbalances: {
      top1: imbalance(current.bidSizes, current.askSizes, 1) ?? 0,
      top3: imbalance(current.bidSizes, current.askSizes, 3) ?? 0,
      top5,
    },
    depth: depth5,
    churn: churnShare,
    fragility: fragility(depth5, spread, churnShare ?? 0, session, numbers),
    freshnessMs: windowEndMs - current.tsMs,
  };
}

function readTrades(windows: EntryWindows, windowEndMs: number, numbers: PolicyNumbers): EntryRead['trades'] {
  const startMs = windows.cuts.windowStart('trade', windowEndMs, numbers.windows.trade_ms);
  const recent = windows.trades.after(startMs);
  return {
    count: recent.length,
    imbalance: tradeImbalance(recent),
    largeShare: largeTradeShare(recent, windows.trades.agedSizes, numbers),
  };
}

function readContext(
  { context, cuts }: EntryWindows,
  windowEndMs: number,
  sources: readonly SourceRead[],
  numbers: PolicyNumbers,
): EntryRead['context'] {
  const cutMs = cuts.newestBefore('context', windowEndMs);
  return {
    fundingRateAbs: context.fundingRate === null ? null : Math.abs(context.fundingRate),
    openInterestChange: openInterestChange(context.openInterest, cutMs, windowEndMs, numbers.windows.open_interest_ms),
    fresh: sources.some((source) => source.family === 'asset_context' && source.status === 'resolved'),
  };
}

function readLiquidations({ liquidations, cuts }: EntryWindows, windowEndMs: number, numbers: PolicyNumbers): LiquidationFeatures {
  const startMs = cuts.windowStart('liquidation', windowEndMs, numbers.windows.liquidation_ms);
  return liquidationFeatures(liquidations.after(startMs));
}

interface LiquidationFeatures {
  readonly total: number;
  /**
   * liquidation_notional_usd: sum of size × mid of the book in force at each liquidation, quote currency, 6 decimals.
   */
  readonly notionalUsd: number;
  /** (long − short) / (long + short) liquidated notional, −1 to 1, 6 decimals; null if the notional is 0. */
  readonly skew: number | null;
  /** −1: more longs liquidated, which presses down; +1: shorts; 0: balanced. */
  readonly direction: Side;
  readonly proxyTotal: number;
}

/**
 * liquidation_event_count, _notional_usd, _skew and _pressure_direction of the given liquidations, oldest first: those
 * of (T − 300 s, T] after the channel's last cut. Skew and direction weigh notional, not events; venue-reported and
 * proxy liquidations count alike. Source: ours; the skew has the form of a volume imbalance, by position side.
 */
export function liquidationFeatures(liquidations: Iterable<LiquidationRecord>): LiquidationFeatures {
  let total = 0;
  let proxyTotal = 0;
  let notional = 0;
  let long = 0;
  let short = 0;
  for (const liquidation of liquidations) {
    total++;
    if (liquidation.proxy) proxyTotal++;
    notional += liquidation.notional;
    if (liquidation.long) long += liquidation.notional;
    else short += liquidation.notional;
  }
  return {
    total,
    proxyTotal,
    notionalUsd: round6(notional),
    skew: long + short === 0 ? null : round6((long - short) / (long + short)),
    direction: long > short ? -1 : long < short ? 1 : 0,
  };
}

/**
 * Signed trade imbalance over 60 s: (buy − sell) / (buy + sell) size by aggressor side, −1 (only sells) to 1 (only
 * buys), 6 decimals. Null without trades. Source: order imbalance by the side that crosses, scaled by volume (T.
 * Chordia, R. Roll and A. Subrahmanyam, "Order imbalance, liquidity, and market returns", 2002); the side is the
 * venue's, not inferred.
 */
export function tradeImbalance(trades: Iterable<TradeRecord>): number | null {
  let buy = 0;
  let sell = 0;
  for (const trade of trades) {
    if (trade.buy) buy += trade.size;
    else sell += trade.size;
  }
  return buy + sell === 0 ? null : round6((buy - sell) / (buy + sell));
}

/**
 * large_trade_share, 0 to 1, 6 decimals, over 60 s: share of the window's size in trades at or above the 95th
 * percentile size of the previous 2,000 trades. 0 until 200 of those are known; null without trades in the window.
 * Source: ours, over a nearest-rank quantile.
 */
export function largeTradeShare(trades: Iterable<TradeRecord>, earlierSizes: Sample, numbers: PolicyNumbers): number | null {
  let total = 0;
  let large = 0;
  const known = earlierSizes.length >= numbers.minimums.trade_sizes;
  const bound = known ? nearestRank(earlierSizes, numbers.features.large_trade_quantile) : Number.POSITIVE_INFINITY;
  for (const trade of trades) {
    total += trade.size;
    if (trade.size >= bound) large += trade.size;
  }
  return total === 0 ? null : round6(large / total);
}

/**
 * Traded notional of the given trades, (T − 300 s, T]: sum of size × mid of the book in force at each. Quote currency,
 * 6 decimals. Source: the usual turnover.
 */
export function tradedNotional(trades: Iterable<TradeRecord>): number {
  let notional = 0;
  for (const trade of trades) notional += trade.notional;
  return round6(notional);
}

/**
 * oi_change_1h: (newest open interest − reference) / reference, 6 decimals; the reference is the last value at least 1
 * h older than T; both after `cutMs`. `records`: oldest first. Null without a reference, or if it is 0. Source: the
 * usual relative change.
 */
export function openInterestChange(
  records: { readonly length: number; at(index: number): OpenInterestRecord | undefined },
  cutMs: number,
  windowEndMs: number,
  lookbackMs: number,
): number | null {
  let reference: number | null = null;
  for (let index = 0; index < records.length; index++) {
    const record = records.at(index);
    if (record === undefined || record.tsMs > windowEndMs - lookbackMs) break;
    if (record.tsMs > cutMs) reference = record.value;
  }
  const newest = records.at(records.length - 1);
  if (reference === null || newest === undefined || reference === 0) return null;
  return round6((newest.value - reference) / reference);
}

/**
 * spread_bps: 10,000 × (ask1 − bid1) / mid of the book at T. Basis points, at least 0, 6 decimals. Source: the usual
 * relative quoted spread.
 */
export function spreadBps(bid: number, ask: number, mid: number): number {
  return round6((10_000 * (ask - bid)) / mid);
}

/**
 * churn, 0 to 1, 6 decimals, over 60 s: of the steps between consecutive books that end in the window with both best
 * prices unchanged, the share in which either best size fell by at least half while trades at that price in the step
 * were smaller than the fall, i.e. size that was withdrawn, not traded. A trade belongs to the step (previous book,
 * book]. Null without such a step. Source: ours; J. Hasbrouck and G. Saar (2009) describe that displayed orders are
 * often withdrawn immediately.
 */
export function churn(
  books: Iterable<BookRecord>,
  trades: readonly TradeRecord[],
  cutMs: number,
  startMs: number,
  fallRatio: number,
): number | null {
  let steps = 0;
  let churned = 0;
  let previous: BookRecord | null = null;
  let next = 0;
  for (const book of books) {
    if (book.tsMs <= cutMs) continue;
    if (previous !== null && book.tsMs > startMs && book.bid === previous.bid && book.ask === previous.ask) {
      while (next < trades.length && (trades[next] as TradeRecord).tsMs <= previous.tsMs) next++;
      steps++;
      const bidPulled = pulled(previous.bidSize, book.bidSize, previous.bid, trades, next, book.tsMs, fallRatio);
      if (bidPulled || pulled(previous.askSize, book.askSize, previous.ask, trades, next, book.tsMs, fallRatio)) churned++;
    }
    previous = book;
  }
  return steps === 0 ? null : round6(churned / steps);
}

function pulled(
  before: number,
  after: number,
  price: number,
  trades: readonly TradeRecord[],
  firstTrade: number,
  untilMs: number,
  fallRatio: number,
): boolean {
  const fall = before - after;
  if (fall <= 0 || fall < before * fallRatio) return false;
  let traded = 0;
  for (let index = firstTrade; index < trades.length; index++) {
    const trade = trades[index] as TradeRecord;
    if (trade.tsMs > untilMs) break;
    if (trade.price === price) traded += trade.size;
  }
  return traded < fall;
}

interface SessionBook {
  readonly depths: Sample;
  readonly spreads: Sample;
}

export interface Fragility {
  readonly thin: number;
  readonly churn: number;
  readonly wide: number;
  readonly score: number;
  readonly measured: boolean;
}

/**
 * queue_fragility_score, 0 to 1, 6 decimals: 0.40 × thin + 0.35 × churn + 0.25 × wide. thin = 1 − (B_5 + A_5) / its
 * session median; wide = (spread_bps / its session median − 1) / 4; each clamped to 0..1, and 0 until the session has
 * 30 packets. Windows: the book at T; 60 s for churn; up to 2,160 earlier packets with a fresh book for the medians.
 * Source: ours.
 */
export function fragility(depth: number, spread: number, churnShare: number, session: SessionBook, numbers: PolicyNumbers): Fragility {
  const { features, minimums } = numbers;
  const measured = session.depths.length >= minimums.session_medians;
  const medianDepth = measured ? nearestRank(session.depths, 0.5) : 0;
  const medianSpread = measured ? nearestRank(session.spreads, 0.5) : 0;
  const thin = medianDepth === 0 ? 0 : round6(clamp(1 - depth / medianDepth, 0, 1));
  const wide = medianSpread === 0 ? 0 : round6(clamp((spread / medianSpread - 1) / features.wide_span, 0, 1));
  const score = round6(
    features.fragility_weight_thin * thin + features.fragility_weight_churn * churnShare + features.fragility_weight_wide * wide,
  );
  return { thin, churn: churnShare, wide, score, measured };
}
