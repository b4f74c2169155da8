/** A smaller share of a variance counts as rounding. */
const ROUNDING = 1e-9;

/**
 * Spearman's rank correlation, −1 to 1: Pearson's correlation of the ranks. Null if one side has fewer than two
 * distinct values.
 */
export function rankCorrelation(left: ArrayLike<number>, right: ArrayLike<number>): number | null {
  return correlationOf(crossProducts([new Ranking(left).ranks(), new Ranking(right).ranks()]), 0, 1);
}

type Products = readonly (readonly number[])[];

/** Sums of products of each pair of lists, each less its mean. `weights` counts how often each element occurs. */
export function crossProducts(lists: readonly Float64Array[], weights?: Float64Array): Products {
  const length = lists[0]?.length ?? 0;
  const counts = weights ?? new Float64Array(length).fill(1);
  const centred = lists.map((list) => lessMean(list, counts));
  const products = lists.map(() => lists.map(() => 0));
  const scaled = new Float64Array(length);
  for (const [row, left] of centred.entries()) {
    for (let index = 0; index < length; index++) scaled[index] = (counts[index] ?? 0) * (left[index] ?? 0);
    for (const [column, right] of centred.slice(0, row + 1).entries()) {
      let sum = 0;
      for (let index = 0; index < length; index++) sum += (scaled[index] ?? 0) * (right[index] ?? 0);
      (products[row] ?? [])[column] = sum;
      (products[column] ?? [])[row] = sum;
    }
  }
  return products;
}

function lessMean(values: Float64Array, weights: Float64Array): Float64Array {
  let [sum, total] = [0, 0];
  for (let index = 0; index < values.length; index++) {
    const weight = weights[index] ?? 0;
    sum += weight * (values[index] ?? 0);
    total += weight;
  }
  const mean = total === 0 ? 0 : sum / total;
  const centred = new Float64Array(values.length);
  for (let index = 0; index < values.length; index++) centred[index] = (values[index] ?? 0) - mean;
  return centred;
}

/**
 * Correlation of two of the lists, or with controls, of what is left of the two after least squares on the controls and
 * a constant. 0 if the controls explain one of them wholly, null if one of the two is constant.
 */
export function correlationOf(products: Products, left: number, right: number, controls: readonly number[] = []): number | null {
  const chosen = [left, right, ...controls];
  const lines = chosen.map((row) => chosen.map((column) => products[row]?.[column] ?? 0));
  const at = (row: number, column: number): number => lines[row]?.[column] ?? 0;
  const variances = chosen.map((_, index) => at(index, index));
  const [leftVariance = 0, rightVariance = 0] = variances;
  if (leftVariance === 0 || rightVariance === 0) return null;
  for (let control = 2; control < chosen.length; control++) {
    const pivots = lines.map((_, row) => at(row, control));
    const variance = pivots[control] ?? 0;
    // A control that the earlier ones explain wholly adds nothing.
    if (variance <= ROUNDING * (variances[control] ?? 0)) continue;
    for (const [row, line] of lines.entries())
      for (let column = 0; column < line.length; column++)
        line[column] = at(row, column) - ((pivots[row] ?? 0) * (pivots[column] ?? 0)) / variance;
  }
  if (at(0, 0) <= ROUNDING * leftVariance || at(1, 1) <= ROUNDING * rightVariance) return 0;
  return at(0, 1) / Math.sqrt(at(0, 0) * at(1, 1));
}

/**
 * Ranks of a list's values, from 1, ties given their mean rank. The values are sorted once; ranks of a resample, in
 * which value i occurs `weights[i]` times, take one pass.
 */
export class Ranking {
  private readonly order: Uint32Array;
  /** End of the run of equal values that starts at each place of the order. */
  private ends: Uint32Array | undefined;

  constructor(private readonly values: ArrayLike<number>) {
    this.order = Uint32Array.from(values, (_, index) => index);
    this.order.sort((a, b) => this.valueAt(a) - this.valueAt(b));
  }

  private valueAt(index: number): number {
    return this.values[index] ?? Number.NaN;
  }

  private runEnds(): Uint32Array {
    const { order } = this;
    const ends = new Uint32Array(order.length);
    for (let start = order.length - 1; start >= 0; start--) {
      const isRun = this.valueAt(order[start] ?? 0) === this.valueAt(order[start + 1] ?? -1);
      ends[start] = isRun ? (ends[start + 1] ?? 0) : start + 1;
    }
    return ends;
  }

  /** Ranks in the list itself, or with weights, in the resample. */
  ranks(weights?: Float64Array): Float64Array {
    const { order } = this;
    this.ends ??= this.runEnds();
    const counts = weights ?? new Float64Array(order.length).fill(1);
    const ranked = new Float64Array(order.length);
    for (let [start, before] = [0, 0]; start < order.length; ) {
      const end = this.ends[start] ?? order.length;
      let weight = 0;
      for (let at = start; at < end; at++) weight += counts[order[at] ?? 0] ?? 0;
      for (let at = start; at < end; at++) ranked[order[at] ?? 0] = before + (weight + 1) / 2;
      before += weight;
      start = end;
    }
    return ranked;
  }
}

/** NaN for a value that is NaN. */
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

/** Interpolated linearly between order statistics; NaN without values. */
export function quantile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  const at = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(at)] ?? Number.NaN, sorted[Math.ceil(at)] ?? Number.NaN];
  return low + (high - low) * (at - Math.floor(at));
}
