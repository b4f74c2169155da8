import type { Packet } from '@market-state/labeler';

/** Composite names in the order in which packets and reports list them. */
export const COMPOSITES = ['pressure', 'flow', 'fragility', 'crowding', 'forced_flow', 'regime'] as const;
export type Composite = (typeof COMPOSITES)[number];

/** One composite score at T with the thresholds in force. */
export interface CompositeSample {
  /** 0..1; null without a source. */
  readonly score: number | null;
  readonly watch: number;
  readonly elevated: number;
}

/** What a report needs of one packet: a few hundred bytes instead of tens of kilobytes, so that a day of packets fits in memory. */
export interface ReportSample {
  /** T, milliseconds since the epoch. */
  readonly windowEndMs: number;
  readonly symbol: string;
  readonly venue: string;
  readonly sourceKind: string;
  readonly policyDigest: string;
  readonly mid: number | null;
  readonly state: string;
  readonly stateLabel: string;
  readonly winner: string;
  /** Winner's score less the runner-up's, 0..1. */
  readonly margin: number;
  readonly eventClass: string;
  readonly direction: string;
  readonly diagnosisClass: string;
  readonly transitionType: string;
  /** 0..1. */
  readonly severity: number;
  readonly severityClass: string;
  readonly confidenceLabel: string;
  readonly gapFlags: readonly string[];
  readonly thresholdSource: string;
  readonly composites: Readonly<Record<Composite, CompositeSample>>;
  /** Ids of thresholds that are crossed, and of those within 10 % below. */
  readonly crossed: readonly string[];
  readonly near: readonly string[];
}

/** What a report keeps of a packet. */
export function sampleOf(packet: Packet): ReportSample {
  const { composites } = packet.state_decision_trace;
  return {
    windowEndMs: Date.parse(packet.scope.window_end_utc),
    symbol: packet.symbol,
    venue: packet.scope.venue,
    sourceKind: packet.scope.source_kind,
    policyDigest: packet.policy_digest,
    mid: packet.reference_prices.mid_price,
    state: packet.state,
    stateLabel: packet.state_label,
    winner: packet.state_diagnosis.winner_state,
    margin: packet.state_diagnosis.state_margin,
    eventClass: packet.event_class,
    direction: packet.market_read_direction,
    diagnosisClass: packet.state_diagnosis.diagnosis_class,
    transitionType: packet.transition_type,
    severity: packet.event_severity.score,
    severityClass: packet.event_severity.severity_class,
    confidenceLabel: packet.confidence.label,
    gapFlags: packet.packet_quality.gap_flags,
    thresholdSource: packet.calibration_context.threshold_source,
    composites: Object.fromEntries(
      COMPOSITES.map((name) => [
        name,
        { score: composites[name].score, watch: composites[name].watch, elevated: composites[name].elevated },
      ]),
    ) as Record<Composite, CompositeSample>,
    crossed: thresholdsOf(packet, 'crossed'),
    near: thresholdsOf(packet, 'near_threshold'),
  };
}

function thresholdsOf({ state_diagnosis: { crossed_thresholds: met } }: Packet, crossingClass: string): string[] {
  return met.filter(({ crossing_class: its }) => its === crossingClass).map(({ feature_id: id }) => id);
}
