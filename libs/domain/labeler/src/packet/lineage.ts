import type { CompositeName, PacketRead, SourceFamily, StateName } from '../read';
import { driverOf } from './market-facts';

export interface PacketLineageSummary {
  readonly previous_packet_id: string | null;
  readonly packets_before: number;
  readonly previous_state: StateName | null;
  readonly vote_score: number | null;
  /** Null for channels that this source does not report. */
  readonly window_event_total: number;
  readonly window_event_totals: Readonly<Record<keyof PacketRead['windowEventTotals'], number | null>>;
}

export function packetLineageSummary(read: PacketRead): PacketLineageSummary {
  return {
    previous_packet_id: read.lineage.previousPacketId,
    packets_before: read.lineage.packetsBefore,
    previous_state: read.trail.previousState,
    vote_score: read.features.lineage_vote_score,
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
  const source = read.sources.find((other) => other.family === family);
  const unseen = source?.status === 'missing' && source.reason !== 'never_seen';
  return unseen ? null : read.windowEventTotals[channel];
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
