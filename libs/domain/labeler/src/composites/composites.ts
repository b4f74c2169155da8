import { round6 } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import type { Fragility, EntryRead } from '../features/features';
import type { CompositeRead, RangeMeans, Side, Term } from '../read';
import type { CompositeName } from '../names';
import type { StateTrades, HeldBooks } from '../features/state-window';
import { rangeRatio, regimeOfRatio } from '../features/ranges';
import { mapComposites, norm, type ThresholdPairs, holdComposites, type HeldMemories } from './thresholds';

interface CompositeSignal {
  readonly score: number;
  /** Signed score, −1 to 1; equal to `score` for composites without a sign. */
  readonly signed: number;
  readonly side: Side;
  readonly available: boolean;
  readonly terms: readonly Term[];
}

function sideOf(value: number): Side {
  return value > 0 ? 1 : value < 0 ? -1 : 0;
}

interface PressureInput {
  /** Signed imb_5 and imb_1 of the book at T: shown with p, not part of it. */
  readonly imbalance5: number;
  readonly imbalance1: number;
  readonly held: HeldBooks;
}

/**
 * Pressure: p = m180, the mean of imb_5 over 180 s, −1 to 1; score P = |p|, side = sign of p (+1: bids outweigh asks).
 * 6 decimals. Source: ours, over an order-book imbalance (see `heldBooks`); only the mean counts, because the best
 * levels at one instant predict little.
 */
export function pressure(input: PressureInput | null): CompositeSignal {
  const signed = input?.held.imbalanceMean ?? 0;
  return {
    score: Math.abs(signed),
    signed,
    side: sideOf(signed),
    available: input !== null,
    terms: [
      term('imb_5', input && input.imbalance5, true),
      term('imb_1', input && input.imbalance1, true),
      term('m180', input && signed, true),
      term('held_seconds', input && round6(input.held.heldMs / 1000), true),
      term('pressure_signed', signed),
    ],
  };
}

/**
 * Flow: f = flow_180s, trades of 180 s against the depth that the book shows once a minute, −1 to 1; score F = |f|,
 * side = sign of f (+1: buyers cross more). 6 decimals. Unavailable without trades (`input` null) or if no book was
 * held to measure against. Source: ours (see `signedFlow`). It counts only trades, unlike the order-flow imbalance of
 * R. Cont, A. Kukanov and S. Stoikov (2014), which also counts quotes and cancellations at the best prices.
 */
export function flow(input: StateTrades | null): CompositeSignal {
  const signed = input?.flow ?? 0;
  const missing = input === null;
  return {
    score: Math.abs(signed),
    signed,
    side: sideOf(signed),
    available: input !== null && input.flow !== null,
    terms: [
      term('trade_imbalance', input && input.imbalance, missing),
      term('depth_ratio', input && input.depthRatio, missing),
      term('flow_10s', input && input.flow10s, missing),
      term('flow_signed', signed),
    ],
  };
}

/**
 * Fragility: Q = queue_fragility_score, 0 to 1, unsigned; from the book at T, 60 s of steps and the session's medians
 * (see `fragility`). `input` is null if the book family is missing, `churn` if no step counted. Source: ours.
 */
export function fragilityComposite(input: { readonly read: Fragility; readonly churn: number | null } | null): CompositeSignal {
  const score = input?.read.score ?? 0;
  const missing = input === null;
  return {
    score,
    signed: score,
    side: 0,
    available: !missing,
    terms: [
      term('thin', input !== null && input.read.measured ? input.read.thin : null, missing),
      term('churn', input === null ? null : input.churn, missing),
      term('wide', input !== null && input.read.measured ? input.read.wide : null, missing),
    ],
  };
}

interface ForcedFlowInput {
  readonly liquidationNotionalUsd: number;
  readonly tradedNotionalUsd: number;
  readonly direction: Side;
}

/**
 * Forced flow: L = min(1, liquidation_notional_usd / max(50,000, 0.10 × traded notional)), 0 to 1, 6 decimals, both
 * notionals over 300 s; side = pressure direction of the liquidations (−1: more longs liquidated). The floor of 50,000
 * USD is the only constant of the composites that scales with price. Source: ours.
 */
export function forcedFlow(input: ForcedFlowInput | null, numbers: PolicyNumbers): CompositeSignal {
  const { composites } = numbers;
  const traded = input?.tradedNotionalUsd ?? 0;
  const liquidated = input?.liquidationNotionalUsd ?? 0;
  const full = Math.max(composites.forced_flow_floor_usd, composites.forced_flow_traded_share * traded);
  const score = round6(Math.min(1, liquidated / full));
  return {
    score,
    signed: score,
    side: input?.direction ?? 0,
    available: input !== null,
    terms: [term('liquidation_notional_usd', input && liquidated, true), term('traded_notional_usd', input && traded, true)],
  };
}

interface CrowdingInput {
  readonly fundingRateAbs: number | null;
  /** Signed, over 1 h; null without a value 1 h old. */
  readonly openInterestChange: number | null;
}

/**
 * Crowding: C = 0.6 × min(1, |funding_rate| × 8,760 / 0.50) + 0.4 × min(1, |oi_change_1h| / 0.05), 0 to 1, unsigned, 6
 * decimals: full weight at an hourly rate (the last sent) of 50 % a year and at a 5 % change of open interest over 1 h.
 * Source: ours.
 */
export function crowding(input: CrowdingInput | null, numbers: PolicyNumbers): CompositeSignal {
  const { composites } = numbers;
  const fundingRate = input?.fundingRateAbs ?? 0;
  const change = input?.openInterestChange ?? 0;
  const funding = round6(Math.min(1, (fundingRate * composites.hours_per_year) / composites.funding_full_per_year));
  const openInterest = round6(Math.min(1, Math.abs(change) / composites.open_interest_full_change));
  const score = round6(composites.crowding_weight_funding * funding + composites.crowding_weight_open_interest * openInterest);
  const missing = input === null;
  const fundingKnown = input !== null && input.fundingRateAbs !== null;
  const changeKnown = input !== null && input.openInterestChange !== null;
  return {
    score,
    signed: score,
    side: 0,
    available: !missing,
    terms: [
      term('funding_term', fundingKnown ? funding : null, missing),
      term('oi_change_1h', changeKnown ? change : null, missing),
      term('open_interest_term', changeKnown ? openInterest : null, missing),
    ],
  };
}

interface RegimeInput {
  /** Null with fewer than 30 returns, or without a book. */
  readonly volatility: { readonly short: number | null; readonly session: number | null };
  readonly ranges: RangeMeans | null;
}

/**
 * Regime: R = min(1, ln(range_ratio) / ln 4), 0 to 1, unsigned, 6 decimals: how far price ranges have widened against
 * the last half hour, reaching 1 at four times; 0 if they have not. Available with 30 returns. The realized volatilities
 * of 30 and up to 2,160 returns of 10 s are shown with it. Source: ours, over price ranges (see `RangeMeans`).
 */
export function regime({ volatility, ranges }: RegimeInput, bookMissing: boolean, numbers: PolicyNumbers): CompositeSignal {
  const { short, session } = volatility;
  const available = short !== null && session !== null;
  const ratio = available && ranges !== null ? rangeRatio(ranges) : null;
  const score = ratio === null ? 0 : regimeOfRatio(ratio, numbers.composites.regime_full_ratio);
  return {
    score,
    signed: score,
    side: 0,
    available,
    terms: [
      term('realized_vol_short', short, bookMissing),
      term('realized_vol_session', session, bookMissing),
      term('range_ratio', ratio, bookMissing),
    ],
  };
}

export type CompositeSignals = Readonly<Record<CompositeName, CompositeSignal>>;

export function readSignals(entries: EntryRead, regimeInput: RegimeInput, numbers: PolicyNumbers): CompositeSignals {
  const { book, context, liquidations, state } = entries;
  return {
    pressure: pressure(book && { imbalance5: book.imbalances.top5, imbalance1: book.imbalances.top1, held: state.held }),
    flow: flow(state.trades),
    fragility: fragilityComposite(book && { read: book.fragility, churn: book.churn }),
    crowding: crowding(context, numbers),
    forced_flow: forcedFlow(
      liquidations && {
        liquidationNotionalUsd: liquidations.notionalUsd,
        tradedNotionalUsd: entries.tradedNotionalUsd,
        direction: liquidations.direction,
      },
      numbers,
    ),
    regime: regime(regimeInput, book === null, numbers),
  };
}

export function againstThresholds(
  signals: CompositeSignals,
  pairs: ThresholdPairs,
  before: HeldMemories,
  numbers: PolicyNumbers,
): Readonly<Record<CompositeName, CompositeRead>> {
  const held = holdComposites(signals, pairs, before, numbers.calibration.leave_ratio);
  return mapComposites((name) => {
    const { score, side, available, terms } = signals[name];
    const { watch, elevated } = pairs[name];
    return { score, norm: norm(score, pairs[name]), side, watch, elevated, ...held[name], available, terms };
  });
}

/** A null value counts as 0; `missing` distinguishes a missing source from a number that could not be computed. */
export function term(name: string, value: number): Term<number>;

export function term(name: string, value: number | null, missing?: boolean): Term;

export function term(name: string, value: number | null, missing = false): Term {
  if (value !== null) return { name, value };
  return { name, value: null, note: missing ? 'source_missing' : 'not_available' };
}
