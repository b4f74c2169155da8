/**
 * The newest values up to a limit, in order of arrival and in order of size. A value moves at most `limit` places when it comes, so that
 * a rank costs one look: the same rank that a selection over all values would find.
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

  /** The oldest gives way when the limit is reached. `value` is a number, not NaN. */
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
    // The values between the gone one's place and the new one's move by one.
    const free = place > gone ? place - 1 : place;
    if (place > gone) this.sorted.copyWithin(gone, gone + 1, place);
    else this.sorted.copyWithin(place + 1, place, gone);
    this.sorted[free] = value;
    this.arrived[this.oldest] = value;
    this.oldest = (this.oldest + 1) % this.limit;
  }

  /** The value that has `rank` smaller ones or equals before it; ranks count from 0. @throws RangeError outside. */
  smallest(rank: number): number {
    if (!(rank >= 0 && rank < this.total)) throw new RangeError(`no rank ${rank} among ${this.total} values`);
    return this.sorted[rank] as number;
  }

  /** Oldest first. */
  *[Symbol.iterator](): Iterator<number> {
    for (let index = 0; index < this.total; index++) yield this.arrived[(this.oldest + index) % this.limit] as number;
  }

  /** How many values are smaller. */
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
