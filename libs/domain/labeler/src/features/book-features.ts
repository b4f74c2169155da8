import { nearestRank, type Sample } from '../numbers/samples';
import { clamp, round6 } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import type { BookRecord, TradeRecord } from '../windows/entry-windows';

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

export interface SessionBook {
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
