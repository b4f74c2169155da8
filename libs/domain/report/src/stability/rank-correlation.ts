export class RankedPairs {
  private readonly left: number[] = [];
  private readonly right: number[] = [];

  add(left: number, right: number): void {
    this.left.push(left);
    this.right.push(right);
  }

  include(other: RankedPairs): void {
    for (const [index, left] of other.left.entries()) this.add(left, other.right[index] ?? 0);
  }

  get total(): number {
    return this.left.length;
  }

  /**
   * Spearman's rank correlation, −1 to 1: Pearson's correlation of the ranks, with ties given their mean rank. Null if
   * one side has fewer than two distinct values.
   */
  correlation(): number | null {
    return pearson(ranks(this.left), ranks(this.right));
  }
}

function ranks(values: readonly number[]): Float64Array {
  const order = values.map((value, index) => ({ value, index })).sort((a, b) => a.value - b.value);
  const ranked = new Float64Array(values.length);
  for (let start = 0; start < order.length; ) {
    let end = start + 1;
    while (order[end]?.value === order[start]?.value && end < order.length) end++;
    for (const { index } of order.slice(start, end)) ranked[index] = (start + 1 + end) / 2;
    start = end;
  }
  return ranked;
}

function pearson(left: Float64Array, right: Float64Array): number | null {
  const mean = (left.length + 1) / 2;
  let [product, leftSquares, rightSquares] = [0, 0, 0];
  for (let index = 0; index < left.length; index++) {
    const [a, b] = [(left[index] ?? 0) - mean, (right[index] ?? 0) - mean];
    product += a * b;
    leftSquares += a * a;
    rightSquares += b * b;
  }
  return leftSquares === 0 || rightSquares === 0 ? null : product / Math.sqrt(leftSquares * rightSquares);
}
