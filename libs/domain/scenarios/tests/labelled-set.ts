import { createState, loadPolicy, reduce, type LabelerState, type PacketResult } from '@market-state/labeler';
import type { MarketEvent } from '@market-state/market-data';
// The check is a test of the labeler's own and no part of what it offers.
// eslint-disable-next-line @nx/enforce-module-boundaries
import { sentenceFaults } from '../../labeler/tests/check-sentences';
import type { Expectation, PacketAspect } from '../src/index';
import type { Segment } from '../src/scenario/scenarios';

type Packet = PacketResult['packet'];

/** Composites with per-symbol thresholds. */
const CALIBRATED = ['pressure', 'flow', 'fragility'] as const;

export interface LabelledPacket {
  readonly windowEndMs: number;
  readonly words: Readonly<Record<PacketAspect, readonly string[]>>;
  readonly calibration: Packet['calibration_context'];
  /** [composite, watch, elevated] of the calibrated ones, before they are scaled by activity. */
  readonly pairs: readonly (readonly [name: (typeof CALIBRATED)[number], watch: number, elevated: number])[];
  readonly lateTotal: number;
  /** Sentences that contradict the packet's numbers. */
  readonly untrue: readonly string[];
  readonly bodyBytes: number;
}

export interface LabelledSegment {
  readonly segment: Segment;
  readonly packets: readonly LabelledPacket[];
}

/** Oldest first. */
export function labelLog(symbol: string, events: Iterable<MarketEvent>): LabelledPacket[] {
  const state = createState(symbol, loadPolicy());
  const packets: LabelledPacket[] = [];
  for (const event of events) for (const result of reduce(state, event)) packets.push(readPacket(result, state));
  return packets;
}

export function bySegment(segments: readonly Segment[], packets: readonly LabelledPacket[]): LabelledSegment[] {
  return segments.map((segment) => ({
    segment,
    packets: packets.filter(({ windowEndMs }) => windowEndMs > segment.fromMs && windowEndMs <= segment.toMs),
  }));
}

/** NaN if there is no such packet. */
export function shareMet({ segment, packets }: LabelledSegment, { aspect, anyOf, span }: Expectation): number {
  const { fromMs, toMs } = span ?? { fromMs: 70_000, toMs: segment.toMs - segment.fromMs };
  const read = packets.filter(({ windowEndMs }) => windowEndMs - segment.fromMs >= fromMs && windowEndMs - segment.fromMs <= toMs);
  return read.filter(({ words }) => words[aspect].some((word) => anyOf.includes(word))).length / read.length;
}

function readPacket({ windowEndMs, packet, body }: PacketResult, { memory }: LabelerState): LabelledPacket {
  const { pairs } = memory.calibration;
  return {
    windowEndMs,
    words: {
      state: [packet.state],
      event_class: [packet.event_class],
      market_read_direction: [packet.market_read_direction],
      diagnosis_class: [packet.state_diagnosis.diagnosis_class],
      transition_type: [packet.transition_type],
      severity_class: [packet.event_severity.severity_class],
      confidence_label: [packet.confidence.label],
      quality_class: [packet.packet_quality.quality_class],
      gap_flag: packet.packet_quality.gap_flags,
      source: Object.entries(packet.source_status).map(([family, { status }]) => `${family}:${status}`),
      crossed_threshold: packet.state_diagnosis.crossed_thresholds.filter(({ crossed }) => crossed).map(({ feature_id: id }) => id),
    },
    calibration: packet.calibration_context,
    pairs: CALIBRATED.map((name) => [name, pairs[name].watch, pairs[name].elevated] as const),
    lateTotal: packet.source_resolution.late_event_total,
    untrue: sentenceFaults(packet),
    bodyBytes: Buffer.byteLength(body),
  };
}
