import type { Side, Term } from '../read';

/** A composite before it is held against its thresholds. */
export interface CompositeSignal {
  /** 0..1. */
  readonly score: number;
  /** The score with its sign, −1..1; equal to `score` where the composite has no sign of its own. */
  readonly signed: number;
  readonly side: Side;
  readonly available: boolean;
  readonly terms: readonly Term[];
}

/** −1, 0 or 1. */
export function sideOf(value: number): Side {
  return value > 0 ? 1 : value < 0 ? -1 : 0;
}

/**
 * A term by name; a null value counted as 0 in the score. `missing` says whether that is because the source is missing or because the
 * number could not be formed (too few samples, or nothing to divide by).
 */
export function term(name: string, value: number): Term<number>;
export function term(name: string, value: number | null, missing?: boolean): Term;
export function term(name: string, value: number | null, missing = false): Term {
  if (value !== null) return { name, value };
  return { name, value: null, note: missing ? 'source_missing' : 'not_available' };
}
