/**
 * Newest values up to a limit, in arrival order and sorted. An insertion moves at most `limit` values; a rank is one
 * lookup.
 */
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

  /** Drops the oldest value at the limit. `value` must not be NaN. */
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
