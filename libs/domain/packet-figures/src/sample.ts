import type { Packet } from '@market-state/labeler';

/** Composite names in the order in which packets and reports list them. */
export const COMPOSITES = ['pressure', 'flow', 'fragility', 'crowding', 'forced_flow', 'regime'] as const;
export type Composite = (typeof COMPOSITES)[number];

/** One composite score at T with the thresholds in force. */
interface CompositeSample {
  /** 0..1; null without a source. */
  readonly score: number | null;
  readonly watch: number;
  readonly elevated: number;
  readonly held: boolean;
}

/** Scores from which on the severity classes above routine hold. */
export interface SeverityBounds {
  readonly elevated: number;
  readonly high: number;
  readonly critical: number;
}

/** Sizes traded in a window by the side of the aggressor, base units. */
export interface WindowVolume {
  readonly buys: number;
  readonly sells: number;
}

/** What a report needs of one packet: a kilobyte instead of tens, so that a day of packets fits in memory. */
export interface ReportSample {
  /** T, milliseconds since the epoch. */
  readonly windowEndMs: number;
  readonly symbol: string;
  readonly venue: string;
  readonly sourceKind: string;
  readonly policyDigest: string;
  readonly mid: number | null;
  /** Trades of the window; null where the venue reports none. */
  readonly tradeTotal: number | null;
  /** Null where the log was not at hand: packets hold no volumes. */
  readonly volume: WindowVolume | null;
  readonly state: string;
  readonly stateLabel: string;
  /** The candidate of this window alone that scored highest, and the one after it, with their scores, 0..1. */
  readonly winner: string;
  readonly winnerScore: number;
  readonly runnerUp: string;
  readonly runnerUpScore: number;
  /** Null in the first packets of a session. */
  readonly sessionState: string | null;
  readonly eventClass: string;
  readonly direction: string;
  readonly diagnosisClass: string;
  readonly transitionType: string;
  /** 0..1. */
  readonly severity: number;
  readonly severityClass: string;
  readonly severityBounds: SeverityBounds;
  /** 0..1. */
  readonly confidence: number;
  readonly confidenceLabel: string;
  readonly gapFlags: readonly string[];
  readonly thresholdSource: string;
  readonly composites: Readonly<Record<Composite, CompositeSample>>;
  /** Ids of thresholds that are crossed, and of those within 10 % below. */
  readonly crossed: readonly string[];
  readonly near: readonly string[];
  /** Sentences of the packet: its headline, what the market reads like, and the first that speaks against it, if any does. */
  readonly headline: string;
  readonly read: string;
  readonly against: string | null;
}

/** What a report keeps of a packet; `volume` is what its window traded, if that is known. */
export function sampleOf(packet: Packet, volume: WindowVolume | null = null): ReportSample {
  const { composites } = packet.state_decision_trace;
  const { state_diagnosis: diagnosis, event_severity: severity, client_readout: readout } = packet;
  return {
    windowEndMs: Date.parse(packet.scope.window_end_utc),
    symbol: packet.symbol,
    venue: packet.scope.venue,
    sourceKind: packet.scope.source_kind,
    policyDigest: packet.policy_digest,
    mid: packet.reference_prices.mid_price,
    tradeTotal: packet.packet_lineage_summary.window_event_totals.trade,
    volume,
    state: packet.state,
    stateLabel: packet.state_label,
    winner: diagnosis.winner_state,
    winnerScore: diagnosis.winner_score,
    runnerUp: diagnosis.runner_up_state,
    runnerUpScore: diagnosis.runner_up_score,
    sessionState: packet.session_state?.state ?? null,
    eventClass: packet.event_class,
    direction: packet.market_read_direction,
    diagnosisClass: diagnosis.diagnosis_class,
    transitionType: packet.transition_type,
    severity: severity.score,
    severityClass: severity.severity_class,
    severityBounds: { elevated: severity.bounds.elevated, high: severity.bounds.high, critical: severity.bounds.critical },
    confidence: packet.confidence.score,
    confidenceLabel: packet.confidence.label,
    gapFlags: packet.packet_quality.gap_flags,
    thresholdSource: packet.calibration_context.threshold_source,
    composites: Object.fromEntries(
      COMPOSITES.map((name) => {
        const { score, watch, elevated, held } = composites[name];
        return [name, { score, watch, elevated, held }];
      }),
    ) as Record<Composite, CompositeSample>,
    crossed: thresholdsOf(packet, 'crossed'),
    near: thresholdsOf(packet, 'near_threshold'),
    headline: readout.headline,
    read: readout.read,
    against: packet.reason_details.find(({ stance }) => stance === 'weighs_against')?.claim ?? null,
  };
}

function thresholdsOf({ state_diagnosis: { crossed_thresholds: met } }: Packet, crossingClass: string): string[] {
  return met.filter(({ crossing_class: its }) => its === crossingClass).map(({ feature_id: id }) => id);
}
