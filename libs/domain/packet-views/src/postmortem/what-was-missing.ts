import { SOURCE_FAMILIES } from '@market-state/labeler';
import type { Definitions } from '../definitions/definitions';
import { holesBetween } from '../lineage/holes';
import type { LoggedBrief } from '../logged-packet';
import type { Stages } from './stages';

/** The number of packets in which a family was missing or partial, and the reasons. */
function familyGaps(packets: readonly LoggedBrief[], { label }: Definitions) {
  return SOURCE_FAMILIES.flatMap((family) => {
    const sources = packets.map(({ packet }) => packet.source_status[family]).filter(({ status }) => status !== 'resolved');
    if (sources.length === 0) return [];
    return [
      {
        source_family: family,
        label: label('source_families', family),
        missing_packet_total: sources.filter(({ status }) => status === 'missing').length,
        partial_packet_total: sources.filter(({ status }) => status === 'partial').length,
        reasons: [...new Set(sources.map(({ reason }) => reason))],
      },
    ];
  });
}

function flagTotals(packets: readonly LoggedBrief[]) {
  const totals = new Map<string, number>();
  for (const { packet } of packets) for (const flag of packet.packet_quality.gap_flags) totals.set(flag, (totals.get(flag) ?? 0) + 1);
  return [...totals].map(([gap_flag, packet_total]) => ({ gap_flag, packet_total }));
}

/** Over all three stages: source families that were not resolved, flags of gaps, windows without a packet, events that came late. */
export function whatWasMissing({ before, during, after }: Stages, definitions: Definitions) {
  const packets = [...before, ...during, ...after];
  const lateTotals = packets.map(({ packet }) => packet.source_resolution.late_event_total);
  return {
    packet_total: packets.length,
    source_families: familyGaps(packets, definitions),
    gap_flags: flagTotals(packets),
    holes: holesBetween(packets),
    late_event_total: Math.max(0, (lateTotals.at(-1) ?? 0) - (lateTotals.at(0) ?? 0)),
    calibrating_packet_total: packets.filter(({ packet }) => packet.calibration_context.live_during_calibration).length,
  };
}
