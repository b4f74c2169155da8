import { COMPOSITES, FEATURE_KEYS } from '@market-state/labeler/names';

/** Classes of severity, rising. They are those of the policy's taxonomy, which code that runs in a browser cannot read. */
export const SEVERITY_CLASSES: readonly string[] = ['routine_context', 'elevated_context', 'high_context', 'critical_context'];

/** Length of a window and so the time from one packet to the next, milliseconds. */
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

/** Every score and driver that a rule may name: those of a packet, and each composite score as a share of its critical threshold. */
export const SCORE_NAMES: readonly string[] = [...NAMED_SCORES, ...COMPOSITES.map((name) => `${name}_norm`), ...FEATURE_KEYS];

/** What a rule can look at. */
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

/** Kinds that are true for one packet only: they fire and have nothing to recover from. */
const MOMENTARY: ReadonlySet<RuleKind> = new Set(['state_changed', 'tag_added']);

export const isMomentary = (kind: RuleKind): boolean => MOMENTARY.has(kind);

/** Channels of data whose age a rule may look at. */
export const FEED_CHANNELS = ['book', 'trades', 'context', 'liquidations'] as const;

/** Ways in which a score may change. */
export const DIRECTIONS = ['rise', 'fall', 'either'] as const;

/** Least, most and usual values of what rules are given. */
export const RULE_BOUNDS = {
  /** Windows that a score is compared over. */
  packets: { min: 1, max: 360 },
  /** Age of a feed, seconds. */
  seconds: { min: 15, max: 3_600, usual: 60 },
  /** Size of a change of a score, which is above `min`. */
  by: { min: 0, max: 1_000_000_000_000 },
  /** Score of severity. */
  severityScore: { min: 0, max: 1 },
  /** Seconds between two triggers that are told. */
  cooldownSeconds: { min: 0, max: 86_400 },
  /** Packets in a row. */
  minConsecutive: { min: 1, max: 100 },
} as const;

/** A tag that a rule may name: two or three segments, the last of which may be any. */
export const RULE_TAG = { pattern: /^[a-z0-9_]+(?::[a-z0-9_]+)?:(?:[a-z0-9_]+|\*)$/, lengthMax: 120 } as const;
