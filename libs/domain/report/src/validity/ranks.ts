/**
 * Ranks of a list's values, from 1, ties given their mean rank. The values are sorted once; ranks of a resample, in
 * which value i occurs `weights[i]` times, take one pass.
 */
export class Ranking {
  private readonly order: Uint32Array;

  constructor(private readonly values: ArrayLike<number>) {
    this.order = Uint32Array.from(values, (_, index) => index);
    this.order.sort((a, b) => this.valueAt(a) - this.valueAt(b));
  }

  private valueAt(index: number): number {
    return this.values[index] ?? Number.NaN;
  }

  /** Ranks in the list itself, or with weights, in the resample. */
  ranks(weights?: ArrayLike<number>): Float64Array {
    const { order } = this;
    const ranked = new Float64Array(order.length);
    for (let [start, before] = [0, 0]; start < order.length; ) {
      const value = this.valueAt(order[start] ?? 0);
      let [end, weight] = [start, 0];
      for (; end < order.length && this.valueAt(order[end] ?? 0) === value; end++) weight += weights?.[order[end] ?? 0] ?? 1;
      for (let at = start; at < end; at++) ranked[order[at] ?? 0] = before + (weight + 1) / 2;
      before += weight;
      start = end;
    }
    return ranked;
  }
}

/** Ranks of the known values; NaN for a value that is NaN. */
export function ranksOfKnown(values: Float64Array): Float64Array {
  const known = indexesWhere(values.length, (index) => !Number.isNaN(values[index]));
  const ranks = new Ranking(pick(values, known)).ranks();
  const result = new Float64Array(values.length).fill(Number.NaN);
  for (const [at, index] of known.entries()) result[index] = ranks[at] ?? Number.NaN;
  return result;
}

export function indexesWhere(length: number, holds: (index: number) => boolean): Uint32Array {
  const indexes: number[] = [];
  for (let index = 0; index < length; index++) if (holds(index)) indexes.push(index);
  return Uint32Array.from(indexes);
}

export function pick(values: Float64Array, indexes: Uint32Array): Float64Array {
  return Float64Array.from(indexes, (index) => values[index] ?? Number.NaN);
}

/** Quantile 0 to 1 of the values, interpolated linearly between order statistics; NaN without values. */
export function quantile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  const at = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(at)] ?? Number.NaN, sorted[Math.ceil(at)] ?? Number.NaN];
  return low + (high - low) * (at - Math.floor(at));
}
