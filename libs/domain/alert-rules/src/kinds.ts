import { COMPOSITES, FEATURE_KEYS } from '@market-state/labeler/names';

/** Severity classes in ascending order. They repeat the policy's taxonomy, which browser code cannot read. */
export const SEVERITY_CLASSES: readonly string[] = ['routine_context', 'elevated_context', 'high_context', 'critical_context'];

export const WINDOW_MS = 10_000;

const NAMED_SCORES = [
  'severity_score',
  'confidence_score',
  'contradiction_score',
  'novelty_score',
  'quality_score',
  'state_margin',
  'source_support_ratio',
] as const;
export type NamedScore = (typeof NAMED_SCORES)[number];

/**
 * Scores and drivers that a rule may name: those of a packet, plus each composite score as a share of its critical
 * threshold (`_norm`).
 */
export const SCORE_NAMES: readonly string[] = [...NAMED_SCORES, ...COMPOSITES.map((name) => `${name}_norm`), ...FEATURE_KEYS];

export const RULE_KINDS = [
  'state_changed',
  'tag_added',
  'state_is',
  'event_class_is',
  'severity_at_least',
  'score_change',
  'feed_stale',
] as const;
export type RuleKind = (typeof RULE_KINDS)[number];

/** Kinds that hold for one packet only: they fire without a later recovery. */
const MOMENTARY: ReadonlySet<RuleKind> = new Set(['state_changed', 'tag_added']);

export const isMomentary = (kind: RuleKind): boolean => MOMENTARY.has(kind);

export const FEED_CHANNELS = ['book', 'trades', 'context', 'liquidations'] as const;

export const DIRECTIONS = ['rise', 'fall', 'either'] as const;

export const RULE_BOUNDS = {
  packets: { min: 1, max: 360 },
  seconds: { min: 15, max: 3_600, usual: 60 },
  by: { min: 0, max: 1_000_000_000_000 },
  severityScore: { min: 0, max: 1 },
  cooldownSeconds: { min: 0, max: 86_400 },
  minConsecutive: { min: 1, max: 100 },
} as const;

/** Tag pattern of a rule: two or three segments, the last of which may be `*`. */
export const RULE_TAG = { pattern: /^[a-z0-9_]+(?::[a-z0-9_]+)?:(?:[a-z0-9_]+|\*)$/, lengthMax: 120 } as const;
