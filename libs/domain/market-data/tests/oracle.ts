/**
 * A second, naive reading of a recording, sharing no code with the library: maps of price text to quantity text, sorted
 * when asked. Slow and plain on purpose.
 */
export interface RawDiff {
  readonly T: number;
  readonly U: number;
  readonly u: number;
  readonly pu: number;
  readonly b: readonly (readonly [string, string])[];
  readonly a: readonly (readonly [string, string])[];
}

export interface RawTicker {
  readonly u: number;
  readonly b: string;
  readonly B: string;
  readonly a: string;
  readonly A: string;
}

export interface RawTrade {
  readonly T: number;
  readonly t: number;
  readonly p: string;
  readonly q: string;
  readonly m: boolean;
}

export interface RawSnapshot {
  readonly T: number;
  readonly lastUpdateId: number;
  readonly bids: readonly (readonly [string, string])[];
  readonly asks: readonly (readonly [string, string])[];
}

export interface RawRecording {
  readonly diffs: RawDiff[];
  readonly tickers: RawTicker[];
  readonly trades: RawTrade[];
  readonly snapshot: RawSnapshot;
}

export function readRaw(lines: readonly string[]): RawRecording {
  const diffs: RawDiff[] = [];
  const tickers: RawTicker[] = [];
  const trades: RawTrade[] = [];
  let snapshot: RawSnapshot | undefined;
  for (const line of lines) {
    const message = JSON.parse(line.slice(line.indexOf(' ') + 1));
    if (message.lastUpdateId !== undefined) snapshot = message;
    else if (message.data.e === 'depthUpdate') diffs.push(message.data);
    else if (message.data.e === 'bookTicker') tickers.push(message.data);
    else trades.push(message.data);
  }
  if (snapshot === undefined) throw new Error('no snapshot in the recording');
  return { diffs, tickers, trades, snapshot };
}

/** The book, rebuilt. */
export class NaiveBook {
  readonly bids: Map<string, string>;
  readonly asks: Map<string, string>;

  constructor(snapshot: RawSnapshot) {
    this.bids = new Map(snapshot.bids);
    this.asks = new Map(snapshot.asks);
  }

  apply(diff: RawDiff): void {
    for (const [side, changes] of [[this.bids, diff.b] as const, [this.asks, diff.a] as const]) {
      for (const [price, quantity] of changes) {
        if (quantity === '0') side.delete(price);
        else side.set(price, quantity);
      }
    }
  }

  /** Price and quantity of every level, best first, prices as numbers. */
  levels(side: 'bids' | 'asks'): [number, number][] {
    const sign = side === 'bids' ? -1 : 1;
    return [...this[side]]
      .map(([price, quantity]): [number, number] => [Number(price), Number(quantity)])
      .sort((x, y) => sign * (x[0] - y[0]));
  }

  best(side: 'bids' | 'asks'): [number, number] {
    let best: [number, number] = [NaN, NaN];
    for (const [price, quantity] of this[side]) {
      const value = Number(price);
      if (Number.isNaN(best[0]) || (side === 'bids' ? value > best[0] : value < best[0])) best = [value, Number(quantity)];
    }
    return best;
  }
}
