import { round6, roundHalfEven } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import type { MarketRead } from '../read';

/**
 * packet_quality score, 0..100: round(100 × source_support_ratio × (1 − 0.5 × min(1, gap seconds in 300 s / 60))), half-even;
 * `strong` from 85, `usable` from 60, else `limited`. A whole number without unit; window 300 s for the gaps. Source: ours.
 */
export function quality(sourceSupportRatio: number, gapSeconds: number, { quality: numbers }: PolicyNumbers): MarketRead['quality'] {
  const gapShare = round6(Math.min(1, gapSeconds / numbers.gap_full_seconds));
  const score = roundHalfEven(100 * sourceSupportRatio * (1 - numbers.gap_weight * gapShare));
  return { score, qualityClass: score >= numbers.strong_from ? 'strong' : score >= numbers.usable_from ? 'usable' : 'limited' };
}
