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
