import type { Fragility } from '../features/book-features';
import { term, type CompositeSignal } from './signal';

/**
 * Fragility: Q = queue_fragility_score, 0..1, no side, no unit; the book at T, 60 s of steps, the session's medians (see `fragility`).
 * `input` null when the book family is missing; `churn` null when no step counted. Source: ours.
 */
export function fragilityComposite(input: { readonly read: Fragility; readonly churn: number | null } | null): CompositeSignal {
  const score = input?.read.score ?? 0;
  const missing = input === null;
  return {
    score,
    signed: score,
    side: 0,
    available: !missing,
    terms: [
      term('thin', input !== null && input.read.measured ? input.read.thin : null, missing),
      term('churn', input === null ? null : input.churn, missing),
      term('wide', input !== null && input.read.measured ? input.read.wide : null, missing),
    ],
  };
}
