import type { Fault } from '../feed/fault';
import type { MarketConditions } from '../market/conditions';

/** What of a packet an expectation looks at. The words are those of the public taxonomy. */
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
  /** A `feature_id` of the threshold table whose crossing class is `crossed`. */
  | 'crossed_threshold';

/** Part of a segment, milliseconds after its start, both ends included. */
interface SegmentSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Of the packets whose window ends in `span` (all after the segment's first minute unless told), at least `share` show one of `anyOf`. */
export interface Expectation {
  readonly aspect: PacketAspect;
  readonly anyOf: readonly string[];
  /** 0..1. */
  readonly share: number;
  readonly span?: SegmentSpan;
}

/** Conditions that differ from the ordinary ones. */
export type ConditionsChange = Partial<MarketConditions>;

/** One kind of market or feed, told by what it changes over time. */
export interface Scenario {
  /** One sentence. */
  readonly description: string;
  /** Length of one episode, milliseconds: a multiple of 10,000. */
  readonly episodeMs: number;
  /** What differs from the ordinary market `atMs` milliseconds after the episode's start. */
  readonly conditions: (atMs: number) => ConditionsChange;
  readonly faults?: readonly Fault[];
  /** What packets made of an episode are expected to show. */
  readonly expects: readonly Expectation[];
}

export const MINUTE_MS = 60_000;

export const SECOND_MS = 1_000;

/** From `before` at `fromMs` in a straight line to `after` at `toMs`. */
export function ramp(atMs: number, fromMs: number, toMs: number, before: number, after: number): number {
  const done = Math.min(1, Math.max(0, (atMs - fromMs) / (toMs - fromMs)));
  return before + (after - before) * done;
}
