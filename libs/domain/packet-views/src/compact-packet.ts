import { type Packet, COMPOSITES, type CompositeName } from '@market-state/labeler';
import { counterevidenceOf } from './evidence-view';

interface AroundPacket<ResponseState extends string> {
  readonly packetDigest: string;
  readonly lineageDigest: string;
  readonly responseState: ResponseState;
}

/**
 * Summary of a packet: at most 4 kB of JSON, in reading order. Every value is the packet's own; none is computed here.
 */
export function compactPacket<ResponseState extends string>(packet: Packet, around: AroundPacket<ResponseState>) {
  const { state_diagnosis: diagnosis, event_severity: severity, confidence, packet_quality: quality } = packet;
  return {
    symbol: packet.symbol,
    window_end_utc: packet.ts,
    mid_price: packet.reference_prices.mid_price,
    state: packet.state,
    state_label: packet.state_label,
    state_age_packets: packet.state_age_packets,
    // Absent in packets of the first edition.
    session_state: packet.session_state ?? null,
    winner_state: diagnosis.winner_state,
    runner_up_state: diagnosis.runner_up_state,
    state_margin: diagnosis.state_margin,
    event_class: packet.event_class,
    market_read_direction: packet.market_read_direction,
    severity: {
      score: severity.score,
      severity_class: severity.severity_class,
      // Absent in packets of the first edition.
      ...(severity.bounds === undefined ? {} : { bounds: severity.bounds }),
    },
    confidence: { score: confidence.score, label: confidence.label },
    headline: headlineOf(packet),
    one_reason: oneReasonOf(packet),
    one_against: oneAgainstOf(packet),
    next_check: nextCheckOf(packet),
    composites: compositesOf(packet),
    quality_class: quality.quality_class,
    gap_flags: quality.gap_flags,
    response_state: around.responseState,
    event_id: packet.event_id,
    packet_digest: around.packetDigest,
    lineage_digest: around.lineageDigest,
  };
}

function compositesOf({ state_decision_trace: { composites } }: Packet) {
  return Object.fromEntries(
    COMPOSITES.map((name) => {
      const { score, norm, watch, elevated, level } = composites[name];
      return [name, { score, norm, watch, elevated, level }];
    }),
  ) as Record<CompositeName, { score: number | null; norm: number | null; watch: number; elevated: number; level: string }>;
}

function headlineOf({ client_readout: readout }: Packet): string {
  return readout.headline;
}

function oneReasonOf({ reason_details: reasons, client_readout: readout }: Packet): string {
  return reasons.find(({ stance }) => stance === 'supports')?.claim ?? readout.read;
}

function oneAgainstOf(packet: Packet): string {
  return counterevidenceOf(packet)[0] ?? '';
}

function nextCheckOf({ client_reason_summary: summary }: Packet): string {
  return summary.next_check;
}
