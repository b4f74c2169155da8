import type { Packet } from '@market-state/labeler';
import { instant } from './io/instant';
import { tableHead, tableLine, type Column } from './io/table';

/** As wide as the longest word each can hold. */
const COLUMNS: readonly Column[] = [
  { title: 'time', width: 20 },
  { title: 'state', width: 27 },
  { title: 'raw winner', width: 27 },
  { title: 'margin', width: 8, right: true },
  { title: 'event class', width: 49 },
  { title: 'severity', width: 25 },
  { title: 'confidence', width: 15 },
  { title: 'flags', width: 0 },
];

export function packetTableHead(): string {
  return tableHead(COLUMNS);
}

/** A packet on one line: what a person compares from window to window. Margin, severity and confidence are 0..1. */
export function packetTableLine(packet: Packet): string {
  const { event_severity: severity, confidence, state_diagnosis: diagnosis, packet_quality: quality } = packet;
  return tableLine(COLUMNS, [
    instant(Date.parse(packet.ts)),
    packet.state,
    diagnosis.winner_state,
    diagnosis.state_margin.toFixed(6),
    packet.event_class,
    `${severity.score.toFixed(6)} ${severity.severity_class}`,
    `${confidence.score.toFixed(6)} ${confidence.label}`,
    quality.gap_flags.join(','),
  ]);
}
