import { round6 } from './round';

/** In arrival order and sorted. An insertion moves at most `limit` values; a rank is one lookup. */
export class SortedWindow implements Iterable<number> {
  private readonly arrived: Float64Array;
  private readonly sorted: Float64Array;
  private oldest = 0;
  private total = 0;

  constructor(
    private readonly limit: number,
    values: Iterable<number> = [],
  ) {
    this.arrived = new Float64Array(limit);
    this.sorted = new Float64Array(limit);
    for (const value of values) this.push(value);
  }

  get length(): number {
    return this.total;
  }

  /** `value` must not be NaN. */
  push(value: number): void {
    if (this.total < this.limit) {
      const place = this.placeOf(value);
      this.sorted.copyWithin(place + 1, place, this.total);
      this.sorted[place] = value;
      this.arrived[this.total++] = value;
      return;
    }
    const gone = this.placeOf(this.arrived[this.oldest] as number);
    const place = this.placeOf(value);
    const free = place > gone ? place - 1 : place;
    if (place > gone) this.sorted.copyWithin(gone, gone + 1, place);
    else this.sorted.copyWithin(place + 1, place, gone);
    this.sorted[free] = value;
    this.arrived[this.oldest] = value;
    this.oldest = (this.oldest + 1) % this.limit;
  }

  /**
   * Value at a rank, counted from 0 in ascending order.
   * @throws RangeError if out of range
   */
  smallest(rank: number): number {
    if (!(rank >= 0 && rank < this.total)) throw new RangeError(`no rank ${rank} among ${this.total} values`);
    return this.sorted[rank] as number;
  }

  *[Symbol.iterator](): Iterator<number> {
    for (let index = 0; index < this.total; index++) yield this.arrived[(this.oldest + index) % this.limit] as number;
  }

  private placeOf(value: number): number {
    let low = 0;
    let high = this.total;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.sorted[middle] as number) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export type Sample = ArrayLike<number> | SortedWindow;

/**
 * Nearest-rank quantile: the ceil(q × n)-th smallest value, at least the first. `q` in (0, 1]; the median is q = 0.5.
 * Source: definition 1 of R. Hyndman and Y. Fan, "Sample quantiles in statistical packages" (1996).
 * @throws RangeError for an empty list
 */
export function nearestRank(values: Sample, q: number): number {
  if (values.length === 0) throw new RangeError('a quantile of nothing');
  const rank = Math.max(1, Math.ceil(q * values.length)) - 1;
  return values instanceof SortedWindow ? values.smallest(rank) : select(new Float64Array(values), rank);
}

/** Found in place by Hoare's partition. */
function select(sample: Float64Array, rank: number): number {
  let low = 0;
  let high = sample.length - 1;
  while (low < high) {
    const pivot = at(sample, (low + high) >> 1);
    let left = low;
    let right = high;
    while (left <= right) {
      while (at(sample, left) < pivot) left++;
      while (at(sample, right) > pivot) right--;
      if (left <= right) {
        const swapped = at(sample, left);
        sample[left] = at(sample, right);
        sample[right] = swapped;
        left++;
        right--;
      }
    }
    if (rank <= right) high = right;
    else if (rank >= left) low = left;
    else break;
  }
  return at(sample, rank);
}

function at(sample: Float64Array, index: number): number {
  return sample[index] as number;
}

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
