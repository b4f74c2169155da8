import { createState, loadPolicy, reduce, type PacketResult } from '@market-state/labeler';
import type { Expectation, PacketAspect, ScenarioSet, Segment } from '../src/index';

type Packet = PacketResult['packet'];

/** A segment of the set with the packets whose windows end in it. */
export interface LabelledSegment {
  readonly segment: Segment;
  readonly results: readonly PacketResult[];
}

/** The packets of the whole set, oldest first. */
export function labelSet(set: ScenarioSet): PacketResult[] {
  const state = createState(set.symbol, loadPolicy());
  const results: PacketResult[] = [];
  for (const event of set.events) results.push(...reduce(state, event));
  return results;
}

export function bySegment(segments: readonly Segment[], results: readonly PacketResult[]): LabelledSegment[] {
  return segments.map((segment) => ({
    segment,
    results: results.filter(({ windowEndMs }) => windowEndMs > segment.fromMs && windowEndMs <= segment.toMs),
  }));
}

/** The words that a packet shows of an aspect. */
export function wordsOf(packet: Packet, aspect: PacketAspect): readonly string[] {
  switch (aspect) {
    case 'state':
      return [packet.state];
    case 'event_class':
      return [packet.event_class];
    case 'market_read_direction':
      return [packet.market_read_direction];
    case 'diagnosis_class':
      return [packet.state_diagnosis.diagnosis_class];
    case 'transition_type':
      return [packet.transition_type];
    case 'severity_class':
      return [packet.event_severity.severity_class];
    case 'confidence_label':
      return [packet.confidence.label];
    case 'quality_class':
      return [packet.packet_quality.quality_class];
    case 'gap_flag':
      return packet.packet_quality.gap_flags;
    case 'source':
      return Object.entries(packet.source_status).map(([family, { status }]) => `${family}:${status}`);
    case 'crossed_threshold':
      return packet.state_decision_trace.threshold_crossings.crossed;
  }
}

/** Share of the expectation's packets that show one of its words; NaN when there is no such packet. */
export function shareMet({ segment, results }: LabelledSegment, { aspect, anyOf, span }: Expectation): number {
  const { fromMs, toMs } = span ?? { fromMs: 70_000, toMs: segment.toMs - segment.fromMs };
  const read = results.filter(({ windowEndMs }) => windowEndMs - segment.fromMs >= fromMs && windowEndMs - segment.fromMs <= toMs);
  return read.filter(({ packet }) => wordsOf(packet, aspect).some((word) => anyOf.includes(word))).length / read.length;
}
