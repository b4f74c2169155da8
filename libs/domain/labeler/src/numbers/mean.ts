import { round6 } from './round';

export class KnownMean {
  private sum = 0;
  private total = 0;

  add(value: number): void {
    this.sum += value;
    this.total++;
  }

  mean(): number | null {
    return this.total === 0 ? null : round6(this.sum / this.total);
  }
}

function sumOf(values: Iterable<number>): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

/** Arithmetic mean, summed in order, rounded to 6 decimals; `otherwise` for an empty list. */
export function meanOf(values: readonly number[], otherwise: number): number {
  return values.length === 0 ? otherwise : round6(sumOf(values) / values.length);
}

export function clamp(value: number, low: number, high: number): number {
  return value < low ? low : value > high ? high : value;
}
