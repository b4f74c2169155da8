import type { TextsFile } from '../policy/content';
import { round6 } from '../numbers/round';
import type { Policy } from '../policy/policy';
import type { GapFlag, PacketRead, QualityClass, RangeMeans, SeverityBounds, SeverityClass, SeverityDriver, Term } from '../read';
import type { CompositeName } from '../names';
import { driverOf } from './market-facts';

/** Null terms count as 0, for the reason given in `term_notes`. */
export type Terms = Readonly<Record<string, number | null>>;
export type TermNotes = Readonly<Record<string, 'source_missing' | 'not_available'>>;

export function termValues<Value extends number | null>(terms: readonly Term<Value>[]): Readonly<Record<string, Value>> {
  return Object.fromEntries(terms.map((term) => [term.name, term.value]));
}

export function withNotes(terms: readonly Term[]): { readonly term_notes?: TermNotes } {
  const notes = terms.flatMap((term) => (term.note === undefined ? [] : [[term.name, term.note] as const]));
  return notes.length === 0 ? {} : { term_notes: Object.fromEntries(notes) };
}

export interface EventSeverity {
  readonly score: number;
  readonly severity_class: SeverityClass;
  readonly threshold_crossing_total: number;
  readonly basis: readonly SeverityDriver[];
  /** Range of mid over three minutes; null without a book. */
  readonly movement_bps: number | null;
  /** Mean price ranges of packets, basis points; null before the first. */
  readonly range_bps: Readonly<Record<'newest' | 'fast' | 'middle' | 'slow' | 'level', number>> | null;
  /** `range_bps` against its level; null before the first range. */
  readonly movement_share: number | null;
  /** Level of the depth within 3 bps of mid over level plus depth: 0.5 at its level; null without either. */
  readonly thin_share: number | null;
  /** Not part of the score. Largest X / (X + watch) of the composites, 0 to 1. */
  readonly strongest_share: number;
  readonly bounds: SeverityBounds;
  readonly claim_boundary: TextsFile['claim_boundary'];
}

export interface PacketConfidence {
  readonly label: 'low' | 'medium' | 'high';
  readonly score: number;
  readonly terms: Readonly<Record<string, number>>;
}

export interface CalibrationContext {
  readonly calibration_scope: 'symbol';
  readonly live_during_calibration: boolean;
  readonly sample_event_total: number;
  readonly samples_required: number;
  readonly threshold_source: PacketRead['calibration']['thresholdSource'];
}

export interface PacketQuality {
  readonly quality_class: QualityClass;
  readonly quality_score: number;
  readonly source_support_ratio: number;
  readonly state_margin: number;
  readonly contradiction_score: number;
  readonly contradiction_terms: Terms;
  readonly gap_flags: readonly GapFlag[];
  /** Seconds of gaps and seams in the last 300 s. */
  readonly gap_seconds: number;
  readonly live_during_calibration: boolean;
  readonly not_a_signal: true;
}

export function eventSeverity(read: PacketRead, policy: Policy): EventSeverity {
  return {
    score: read.severity.score,
    severity_class: read.severity.severityClass,
    threshold_crossing_total: read.thresholds.filter((threshold) => threshold.crossingClass === 'crossed').length,
    basis: read.severity.basis,
    movement_bps: read.movementBps,
    range_bps: read.ranges && rangesOf(read.ranges),
    movement_share: read.severity.movementShare,
    thin_share: read.severity.thinShare,
    strongest_share: read.severity.strongestShare,
    bounds: read.severity.bounds,
    claim_boundary: policy.literals.claim_boundary,
  };
}

function rangesOf({ newest, fast, middle, slow, level }: RangeMeans): EventSeverity['range_bps'] {
  return { newest, fast: round6(fast), middle: round6(middle), slow: round6(slow), level: round6(level) };
}

export function packetConfidence(read: PacketRead): PacketConfidence {
  return { label: read.confidence.label, score: read.confidence.score, terms: termValues(read.confidence.terms) };
}

export function calibrationContext(read: PacketRead, policy: Policy): CalibrationContext {
  return {
    calibration_scope: 'symbol',
    live_during_calibration: read.calibration.live,
    sample_event_total: read.calibration.sampleTotal,
    samples_required: policy.numbers.calibration.sample_minimum,
    threshold_source: read.calibration.thresholdSource,
  };
}

export function packetQuality(read: PacketRead): PacketQuality {
  return {
    quality_class: read.quality.qualityClass,
    quality_score: read.quality.score,
    source_support_ratio: read.sourceSupportRatio,
    state_margin: read.decision.margin,
    contradiction_score: read.contradiction.score,
    contradiction_terms: contradictionTerms(read),
    gap_flags: read.gapFlags,
    gap_seconds: read.gapSeconds,
    live_during_calibration: read.calibration.live,
    not_a_signal: true,
  };
}

/** Unreported liquidations cannot disagree: null, not 0. */
function contradictionTerms(read: PacketRead): Terms {
  const terms = termValues(read.contradiction.terms);
  return read.composites.forced_flow.available ? terms : { ...terms, liquidations_against_flow: null };
}

export interface PacketSophistication {
  readonly severity: { readonly score: number };
  readonly persistence: { readonly state_age_packets: number; readonly state_persistence_seconds: number };
  readonly novelty: { readonly score: number };
  readonly contradiction: { readonly score: number };
  readonly driver: {
    readonly name: CompositeName | 'none';
    readonly norm: number;
  };
  readonly lineage: { readonly vote_score: number | null };
}

export function packetSophistication(read: PacketRead): PacketSophistication {
  const driver = driverOf(read);
  return {
    severity: { score: read.severity.score },
    persistence: { state_age_packets: read.published.agePackets, state_persistence_seconds: read.published.persistenceSeconds },
    novelty: { score: read.novelty },
    contradiction: { score: read.contradiction.score },
    driver,
    lineage: { vote_score: read.features.lineage_vote_score },
  };
}
