import { z } from 'zod';
import { ALERT_STATES, type RuleState } from './rule-state';

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
