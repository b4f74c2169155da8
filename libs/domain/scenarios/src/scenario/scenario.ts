import type { Fault } from '../feed/fault';
import type { MarketConditions } from '../market/conditions';

export type PacketAspect =
  | 'state'
  | 'event_class'
  | 'market_read_direction'
  | 'diagnosis_class'
  | 'transition_type'
  | 'severity_class'
  | 'confidence_label'
  | 'quality_class'
  | 'gap_flag'
  /** `family:status`. */
  | 'source'
  /** `feature_id` of the threshold table whose crossing class is `crossed`. */
  | 'crossed_threshold';

/** Relative to the segment's start, both ends inclusive. */
interface SegmentSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * At least `share` of the packets whose window ends in `span` (default: after the first minute) show one of `anyOf`.
 */
export interface Expectation {
  readonly aspect: PacketAspect;
  readonly anyOf: readonly string[];
  /** 0..1. */
  readonly share: number;
  readonly span?: SegmentSpan;
}

export type ConditionsChange = Partial<MarketConditions>;

export interface Scenario {
  readonly description: string;
  /** Multiple of 10,000. */
  readonly episodeMs: number;
  /** Difference from the ordinary market, `atMs` after the episode's start. */
  readonly conditions: (atMs: number) => ConditionsChange;
  readonly faults?: readonly Fault[];
  readonly expects: readonly Expectation[];
}

export const MINUTE_MS = 60_000;

export const SECOND_MS = 1_000;

export function ramp(atMs: number, fromMs: number, toMs: number, before: number, after: number): number {
  const done = Math.min(1, Math.max(0, (atMs - fromMs) / (toMs - fromMs)));
  return before + (after - before) * done;
}
