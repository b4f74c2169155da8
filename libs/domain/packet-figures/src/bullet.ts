/** Score and thresholds, all 0 to 1. */
export interface ScoreReading {
  /** Null without a source. */
  readonly score: number | null;
  readonly watch: number;
  readonly elevated: number;
}

interface Bullet {
  readonly score: number | null;
  readonly watch: number;
  readonly elevated: number;
  readonly level: 'no_source' | 'below_watch' | 'watch' | 'elevated';
}

/** Thresholds are drawn at fixed positions, regardless of their values, so that rows compare at a glance. */
const WATCH_AT = 0.45;
const ELEVATED_AT = 0.75;

/** Positions of a score and its thresholds. The scale is linear between 0, watch, elevated and 1. */
export function bulletOf({ score, watch, elevated }: ScoreReading): Bullet {
  const level = levelOf(score, watch, elevated);
  return { score: score === null ? null : shareOf(score, watch, elevated), watch: WATCH_AT, elevated: ELEVATED_AT, level };
}

function levelOf(score: number | null, watch: number, elevated: number): Bullet['level'] {
  if (score === null) return 'no_source';
  if (score >= elevated) return 'elevated';
  return score >= watch ? 'watch' : 'below_watch';
}

function shareOf(score: number, watch: number, elevated: number): number {
  if (score <= watch) return watch === 0 ? WATCH_AT : (WATCH_AT * Math.max(0, score)) / watch;
  if (score <= elevated) return WATCH_AT + ((ELEVATED_AT - WATCH_AT) * (score - watch)) / (elevated - watch);
  return elevated >= 1 ? 1 : ELEVATED_AT + ((1 - ELEVATED_AT) * (Math.min(1, score) - elevated)) / (1 - elevated);
}
