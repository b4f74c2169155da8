import { nearestRank } from '../numbers/samples';
import { clamp, round6 } from '../numbers/round';
import type { PolicyNumbers, ThresholdNumbers } from '../policy/numbers';
import type { Side, ThresholdRead } from '../read';
import { COMPOSITES, type CompositeName } from '../names';

interface ThresholdPair {
  readonly watch: number;
  readonly elevated: number;
}

/**
 * X̂, a score relative to its thresholds: 0.5 × x / w below w; 0.5 + 0.5 × (x − w) / (e − w) up to e; 1 beyond. 0 to 1,
 * 6 decimals; 0.5 at watch, 1 at elevated. Source: ours, a piecewise-linear scale that makes scores with different
 * thresholds comparable.
 */
export function norm(value: number, { watch, elevated }: ThresholdPair): number {
  if (value < watch) return round6((0.5 * value) / watch);
  if (value <= elevated) return round6(0.5 + (0.5 * (value - watch)) / (elevated - watch));
  return 1;
}

export type ThresholdPairs = Readonly<Record<CompositeName, ThresholdPair>>;

export interface Calibration {
  readonly pairs: ThresholdPairs;
  readonly source: 'policy_default' | 'symbol_rolling_quantile';
  /** Session packets behind the thresholds; with policy defaults, those collected so far. */
  readonly sampleTotal: number;
}

type SessionScores = Readonly<Partial<Record<CompositeName, readonly number[]>>>;

export function defaultCalibration(numbers: PolicyNumbers, sampleTotal: number): Calibration {
  return { pairs: mapComposites((name) => pairOf(numbers.thresholds[name])), source: 'policy_default', sampleTotal };
}

/**
 * Thresholds for the packet at T (`live_during_calibration.v1`): the policy's until the session has 180 samples; then
 * the symbol's quantiles (q80 watch, q95 elevated, nearest rank) clamped to 0.5..1.5 × the default and to at most 0.95,
 * elevated at least watch + 0.05. Updated at each T that is a multiple of 300 s. Only P, F and Q are calibrated. Scores
 * 0 to 1, 6 decimals. Session: up to 2,160 earlier packets with a fresh book. Source: ours, over nearest-rank quantiles
 * (see `nearestRank`).
 */
export function calibrate(
  previous: Calibration,
  sampleTotal: number,
  readScores: () => SessionScores,
  windowEndMs: number,
  numbers: PolicyNumbers,
): Calibration {
  const { sample_minimum: minimum, refresh_ms: refreshMs } = numbers.calibration;
  if (sampleTotal < minimum && previous.source === 'policy_default') return defaultCalibration(numbers, sampleTotal);
  if (previous.source === 'symbol_rolling_quantile' && windowEndMs % refreshMs !== 0) return previous;
  const scores = readScores();
  return {
    pairs: mapComposites((name) => calibratedPair(numbers.thresholds[name], scores[name] ?? [], numbers)),
    source: 'symbol_rolling_quantile',
    sampleTotal,
  };
}

function calibratedPair(defaults: ThresholdNumbers, scores: readonly number[], numbers: PolicyNumbers): ThresholdPair {
  if (!defaults.calibrated) return pairOf(defaults);
  const { watch_quantile: watchQuantile, elevated_quantile: elevatedQuantile, elevated_gap: gap } = numbers.calibration;
  const watch = clampedTo(nearestRank(scores, watchQuantile), defaults.watch, numbers);
  const elevated = clampedTo(nearestRank(scores, elevatedQuantile), defaults.elevated, numbers);
  return { watch, elevated: Math.max(elevated, round6(watch + gap)) };
}

function clampedTo(value: number, standard: number, numbers: PolicyNumbers): number {
  const { clamp_low: low, clamp_high: high, threshold_maximum: maximum } = numbers.calibration;
  return round6(Math.min(clamp(value, low * standard, high * standard), maximum));
}

/**
 * Thresholds in force: the calibrated pairs (P, F, Q) times clamp(1 / activity², 1/3, 3), each at most 0.95 and elevated
 * at least watch + 0.05, 6 decimals. In a quiet market a state needs more evidence, in an active one less. Source: ours;
 * docs/validity.md has the measurements.
 */
export function scaleByActivity(pairs: ThresholdPairs, activity: number, numbers: PolicyNumbers): ThresholdPairs {
  const { scale_maximum: maximum } = numbers.activity;
  const scale = clamp(1 / (activity * activity), 1 / maximum, maximum);
  return mapComposites((name) => (numbers.thresholds[name].calibrated ? scaledPair(pairs[name], scale, numbers) : pairs[name]));
}

function scaledPair(pair: ThresholdPair, scale: number, { calibration }: PolicyNumbers): ThresholdPair {
  const scaled = (threshold: number) => round6(Math.min(threshold * scale, calibration.threshold_maximum));
  const watch = scaled(pair.watch);
  return { watch, elevated: Math.max(scaled(pair.elevated), round6(watch + calibration.elevated_gap)) };
}

function pairOf({ watch, elevated }: ThresholdPair): ThresholdPair {
  return { watch, elevated };
}

export function mapComposites<T>(valueOf: (name: CompositeName) => T): Readonly<Record<CompositeName, T>> {
  return Object.fromEntries(COMPOSITES.map((name) => [name, valueOf(name)])) as Record<CompositeName, T>;
}

/**
 * The twelve thresholds in table order, each with its distance (value − threshold, 6 decimals) and class: `crossed` at
 * or above it, `near_threshold` at or above 0.9 of it, else `below`. Source: ours.
 */
export function readThresholds(
  scores: Readonly<Record<CompositeName, number>>,
  pairs: ThresholdPairs,
  nearRatio: number,
): readonly ThresholdRead[] {
  return COMPOSITES.flatMap((composite) =>
    (['watch', 'elevated'] as const).map((level): ThresholdRead => {
      const threshold = pairs[composite][level];
      const value = scores[composite];
      return {
        featureId: `${composite}_${level}`,
        composite,
        level,
        threshold,
        value,
        distance: round6(value - threshold),
        crossingClass: value >= threshold ? 'crossed' : value >= round6(nearRatio * threshold) ? 'near_threshold' : 'below',
      };
    }),
  );
}

export interface HeldMemory {
  readonly side: Side;
  readonly packets: number;
}
export type HeldMemories = Readonly<Record<CompositeName, HeldMemory>>;

export interface HeldRead {
  readonly held: boolean;
  /** 0 to 1, below watch. */
  readonly leaveAt: number;
  readonly heldPackets: number;
}

interface HeldSignal {
  readonly score: number;
  readonly side: Side;
  readonly available: boolean;
}

export const NOTHING_HELD_BEFORE: HeldMemories = mapComposites(() => ({ side: 0, packets: 0 }));

/**
 * Held composites: at or above watch, or at or above leave = 0.4 × watch and held in the previous packet on the current
 * side. Unreadable composites are not held. Source: ours, a Schmitt trigger on the watch in force.
 */
export function holdComposites(
  signals: Readonly<Record<CompositeName, HeldSignal>>,
  pairs: ThresholdPairs,
  before: HeldMemories,
  leaveRatio: number,
): Readonly<Record<CompositeName, HeldRead>> {
  return mapComposites((name) => holdComposite(signals[name], pairs[name].watch, before[name], leaveRatio));
}

export function heldMemories(reads: Readonly<Record<CompositeName, { readonly side: Side; readonly heldPackets: number }>>): HeldMemories {
  return mapComposites((name) => ({ side: reads[name].side, packets: reads[name].heldPackets }));
}

export function holdComposite({ score, side, available }: HeldSignal, watch: number, before: HeldMemory, leaveRatio: number): HeldRead {
  const leaveAt = round6(leaveRatio * watch);
  const heldBefore = before.packets > 0 && before.side === side;
  const holds = available && (score >= watch || (heldBefore && score >= leaveAt));
  return { held: holds, leaveAt, heldPackets: !holds ? 0 : heldBefore ? before.packets + 1 : 1 };
}
