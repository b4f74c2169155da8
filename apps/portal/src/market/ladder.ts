/** A price level as venues send it: decimals are strings. */
export type Level = readonly [price: string, size: string];

/** Levels that a ladder shows of each side. */
export const LADDER_ROWS = 10;

/** A row of the ladder. */
export interface LadderRow {
  readonly price: string;
  readonly size: string;
  /** Size of this level and all better ones of its side, base units. */
  readonly cumulative: number;
}

/** The best levels of one side with their cumulative depth. */
export function ladderSide(levels: readonly Level[], rows: number): readonly LadderRow[] {
  let cumulative = 0;
  return levels.slice(0, rows).map(([price, size]) => {
    cumulative += Number(size);
    return { price, size, cumulative };
  });
}

/** Difference of the best prices in basis points of their middle; null where a side is empty. */
export function spreadBps([bid]: readonly Level[], [ask]: readonly Level[]): number | null {
  if (bid === undefined || ask === undefined) return null;
  const [low, high] = [Number(bid[0]), Number(ask[0])];
  return (20_000 * (high - low)) / (high + low);
}

/** A size with four significant digits, as wide as its neighbours: `0.2103`, `21.02`, `1,309`. */
export function sizeWords(size: number): string {
  if (size >= 1_000) return Math.round(size).toLocaleString('en-US');
  return size >= 100 ? size.toFixed(1) : size >= 10 ? size.toFixed(2) : size >= 1 ? size.toFixed(3) : size.toFixed(4);
}
