import { SortedWindow } from './sorted-window';

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

/** Element at `rank` of the sorted order, found in place by Hoare's partition. */
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
