import { COMPOSITES, FEATURE_KEYS, SOURCE_FAMILIES, type Packet } from '@market-state/labeler';
import { z } from 'zod';

/** Classes of severity, rising. They are those of the policy's taxonomy, which code that runs in a browser cannot read. */
export const SEVERITY_CLASSES: readonly string[] = ['routine_context', 'elevated_context', 'high_context', 'critical_context'];

/** Length of a window and so the time from one packet to the next, milliseconds. */
export const WINDOW_MS = 10_000;

const scoreValue = z.number().nullable();

const shape = z.object({
  symbol: z.string(),
  sequence: z.number().int(),
  window_end_ms: z.number().int(),
  event_id: z.string(),
  state: z.string(),
  event_class: z.string(),
  event_profile: z.string(),
  severity_class: z.string(),
  scores: z.record(z.string(), scoreValue),
  tags: z.array(z.string()),
  gap_ids: z.array(z.string()),
  ages_ms: z.record(z.string(), scoreValue),
  replay_cursor: z.string(),
  synthetic: z.boolean(),
});

/**
 * What rules read of a packet. `scores` has every name of SCORE_NAMES, null where it was not measured. `ages_ms` is the age of the newest
 * row of each source family at the window's end, null where the family has none.
 */
export type RuleInput = z.output<typeof shape>;

/** A stored input. @throws ZodError when it is none */
export function readRuleInput(stored: unknown): RuleInput {
  return shape.parse(stored);
}

/** What rules read of a packet whose number in its symbol's packets is `sequence`. */
export function toRuleInput(packet: Packet, sequence: number): RuleInput {
  const { packet_quality: quality, source_status: statuses, source_resolution: resolution } = packet;
  const { composites } = packet.state_decision_trace;
  return {
    symbol: packet.symbol,
    sequence,
    window_end_ms: Date.parse(packet.scope.window_end_utc),
    event_id: packet.event_id,
    state: packet.state,
    event_class: packet.event_class,
    event_profile: packet.event_profile,
    severity_class: packet.event_severity.severity_class,
    scores: {
      severity_score: packet.event_severity.score,
      confidence_score: packet.confidence.score,
      contradiction_score: packet.contradiction_score,
      novelty_score: packet.novelty_score,
      quality_score: quality.quality_score,
      state_margin: quality.state_margin,
      source_support_ratio: quality.source_support_ratio,
      ...Object.fromEntries(COMPOSITES.map((name) => [`${name}_norm`, composites[name].norm])),
      ...Object.fromEntries(FEATURE_KEYS.map((name) => [name, packet.driver_strengths[name]])),
    },
    tags: [...packet.tags],
    gap_ids: [...new Set(resolution.gaps.map(({ gap_id: id }) => id))],
    ages_ms: Object.fromEntries(SOURCE_FAMILIES.map((family) => [family, statuses[family].age_ms])),
    replay_cursor: packet.replay.cursor,
    synthetic: packet.scope.source_kind === 'simulated',
  };
}
