import {
  COMPOSITES,
  type CompositeName,
  type PacketRead,
  type PublicationRule,
  type SourceFamily,
  type StateName,
  type TransitionType,
  type SeverityClass,
  type DiagnosisClass,
} from '../read';
import { driverOf } from './driver';
import { familiesOf } from './source-families';

export interface PacketLineageSummary {
  readonly previous_packet_id: string | null;
  readonly previous_lineage_digest: string;
  /** Packets before this one in the chain. */
  readonly packets_before: number;
  readonly transition_type: TransitionType;
  readonly previous_state: StateName | null;
  readonly state_age_packets: number;
  readonly state_persistence_seconds: number;
  /** Share of the last six raw winners that equal this one. */
  readonly vote_score: number | null;
  /** Signed mid move over six windows, basis points; null where it cannot be measured. */
  readonly price_move_bps: number | null;
  /** Events applied in this window; by channel, null where the venue does not report it. */
  readonly window_event_total: number;
  readonly window_event_totals: Readonly<Record<keyof PacketRead['windowEventTotals'], number | null>>;
}

export function packetLineageSummary(read: PacketRead): PacketLineageSummary {
  return {
    previous_packet_id: read.lineage.previousPacketId,
    previous_lineage_digest: read.lineage.previousLineageDigest,
    packets_before: read.lineage.packetsBefore,
    transition_type: read.transitionType,
    previous_state: read.trail.previousState,
    state_age_packets: read.published.agePackets,
    state_persistence_seconds: read.published.persistenceSeconds,
    vote_score: read.features.lineage_vote_score,
    price_move_bps: read.priceMoveMeasured ? read.priceMoveBps : null,
    window_event_total: read.lineage.windowEventTotal,
    window_event_totals: {
      book: reportedTotal(read, 'book', 'book'),
      trade: reportedTotal(read, 'trades', 'trade'),
      context: reportedTotal(read, 'asset_context', 'context'),
      liquidation: reportedTotal(read, 'liquidations', 'liquidation'),
    },
  };
}

function reportedTotal(read: PacketRead, family: SourceFamily, channel: keyof PacketRead['windowEventTotals']): number | null {
  return familiesOf(read, 'missing', 'not_reported_by_venue').includes(family) ? null : read.windowEventTotals[channel];
}

/** Severity, persistence, novelty, contradiction, driver and lineage side by side. */
export interface PacketSophistication {
  readonly severity: { readonly score: number; readonly severity_class: SeverityClass };
  readonly persistence: {
    readonly state_age_packets: number;
    readonly state_persistence_seconds: number;
    readonly winner_streak: number;
    readonly publication_rule: PublicationRule;
  };
  readonly novelty: { readonly score: number; readonly transition_type: TransitionType };
  readonly contradiction: { readonly score: number; readonly diagnosis_class: DiagnosisClass };
  readonly driver: {
    readonly name: CompositeName | 'none';
    readonly norm: number;
    /** By composite; null without a source. */
    readonly norms: Readonly<Record<CompositeName, number | null>>;
  };
  readonly lineage: { readonly packets_before: number; readonly vote_score: number | null };
}

export function packetSophistication(read: PacketRead): PacketSophistication {
  const driver = driverOf(read);
  const norms = COMPOSITES.map((name) => [name, read.composites[name].available ? read.composites[name].norm : null] as const);
  return {
    severity: { score: read.severity.score, severity_class: read.severity.severityClass },
    persistence: {
      state_age_packets: read.published.agePackets,
      state_persistence_seconds: read.published.persistenceSeconds,
      winner_streak: read.published.winnerStreak,
      publication_rule: read.published.rule,
    },
    novelty: { score: read.novelty, transition_type: read.transitionType },
    contradiction: { score: read.contradiction.score, diagnosis_class: read.diagnosisClass },
    driver: { name: driver.name, norm: driver.norm, norms: Object.fromEntries(norms) as Record<CompositeName, number | null> },
    lineage: { packets_before: read.lineage.packetsBefore, vote_score: read.features.lineage_vote_score },
  };
}
