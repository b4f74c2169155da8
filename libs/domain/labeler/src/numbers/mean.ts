import { round6 } from './round';

/** A mean of what is known, summed in the order of coming. */
export class KnownMean {
  private sum = 0;
  private total = 0;

  add(value: number): void {
    this.sum += value;
    this.total++;
  }

  /** Rounded to 6; null when nothing was known. */
  mean(): number | null {
    return this.total === 0 ? null : round6(this.sum / this.total);
  }
}

/** Sum of the values in their order; 0 of nothing. */
function sumOf(values: Iterable<number>): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

/** Arithmetic mean of the values summed in their order, in their unit, rounded to 6; `otherwise` of nothing. */
export function meanOf(values: readonly number[], otherwise: number): number {
  return values.length === 0 ? otherwise : round6(sumOf(values) / values.length);
}

/** `value` within low..high. */
export function clamp(value: number, low: number, high: number): number {
  return value < low ? low : value > high ? high : value;
}
