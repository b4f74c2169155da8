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
export interface SegmentSpan {
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
