import { z } from 'zod';
import { COMPOSITES, FEATURE_KEYS, SOURCE_FAMILIES, type Packet } from '@market-state/labeler';
import { ALERT_STATES, type RuleState } from './rule-state';
import type { NamedScore } from './kinds';

const scoreValue = z.number().nullable();

const inputShape = z.object({
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
 * Packet fields that rules read. `scores` has every name in SCORE_NAMES. `ages_ms` is the age of each family's newest
 * row at the window's end. Null if not measured.
 */
export type RuleInput = z.output<typeof inputShape>;

export function readRuleInput(stored: unknown): RuleInput {
  return inputShape.parse(stored);
}

const ruleStateShape: z.ZodType<RuleState> = z.object({
  state: z.enum(ALERT_STATES),
  consecutive: z.number().int(),
  sinceMs: z.number().int(),
  lastWindowMs: z.number().int(),
  lastSequence: z.number().int(),
  episodeId: z.string().nullable(),
  episodeTold: z.boolean(),
  lastToldMs: z.number().int().nullable(),
  transition: z.number().int(),
  stale: z.boolean(),
});

export function readRuleState(stored: unknown): RuleState {
  return ruleStateShape.parse(stored);
}

/** @param sequence number of the packet in its market @param market key of the market */
export function toRuleInput(packet: Packet, sequence: number, market: string): RuleInput {
  const { packet_quality: quality, source_status: statuses, source_resolution: resolution } = packet;
  const { composites } = packet.state_decision_trace;
  const named: Record<NamedScore, number> = {
    severity_score: packet.event_severity.score,
    confidence_score: packet.confidence.score,
    contradiction_score: packet.contradiction_score,
    novelty_score: packet.novelty_score,
    quality_score: quality.quality_score,
    state_margin: quality.state_margin,
    source_support_ratio: quality.source_support_ratio,
  };
  return {
    symbol: market,
    sequence,
    window_end_ms: Date.parse(packet.scope.window_end_utc),
    event_id: packet.event_id,
    state: packet.state,
    event_class: packet.event_class,
    event_profile: packet.event_profile,
    severity_class: packet.event_severity.severity_class,
    scores: {
      ...named,
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
