import { COMPOSITES, FEATURE_KEYS } from '@market-state/labeler/names';

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
