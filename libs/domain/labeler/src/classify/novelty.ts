import { round6 } from '../numbers/round';

/**
 * novelty_score, 0..1: 1 − mean Jaccard similarity (|A ∩ B| / |A ∪ B|) of this packet's counted tags with those of up to 30 packets before
 * it, oldest first; 1 with none before. Two empty sets are alike. Tags are unique within a set. No unit, 6 decimals.
 * Source: the coefficient of community (P. Jaccard, 1901); the mean over packets is ours.
 */
export function novelty(tags: readonly string[], earlier: Iterable<readonly string[]>): number {
  const current = new Set(tags);
  let total = 0;
  let sum = 0;
  for (const other of earlier) {
    total++;
    sum += similarity(current, other);
  }
  return total === 0 ? 1 : round6(1 - sum / total);
}

function similarity(current: ReadonlySet<string>, other: readonly string[]): number {
  const shared = other.filter((tag) => current.has(tag)).length;
  const union = current.size + other.length - shared;
  return union === 0 ? 1 : shared / union;
}
