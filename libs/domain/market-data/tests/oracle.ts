/**
 * Independent naive reading of a recording: maps of price text to quantity text, sorted on demand. Deliberately slow
 * and simple.
 */
export interface RawDiff {
  readonly e: 'depthUpdate';
  readonly T: number;
  readonly U: number;
  readonly u: number;
  readonly pu: number;
  readonly b: readonly (readonly [string, string])[];
  readonly a: readonly (readonly [string, string])[];
}

interface RawTicker {
  readonly e: 'bookTicker';
  readonly u: number;
  readonly b: string;
  readonly B: string;
  readonly a: string;
  readonly A: string;
}

export interface RawTrade {
  readonly e: 'trade';
  readonly T: number;
  readonly t: number;
  readonly p: string;
  readonly q: string;
  readonly m: boolean;
}

export interface RawSnapshot {
  readonly e?: undefined;
  readonly T: number;
  readonly lastUpdateId: number;
  readonly bids: readonly (readonly [string, string])[];
  readonly asks: readonly (readonly [string, string])[];
}

export type RawMessage = RawDiff | RawTicker | RawTrade | RawSnapshot;

export interface RawRecording {
  /** In line order. */
  readonly messages: RawMessage[];
  readonly diffs: RawDiff[];
  readonly tickers: RawTicker[];
  readonly trades: RawTrade[];
  readonly snapshot: RawSnapshot;
}

export function readRaw(lines: readonly string[]): RawRecording {
  const messages: RawMessage[] = [];
  const diffs: RawDiff[] = [];
  const tickers: RawTicker[] = [];
  const trades: RawTrade[] = [];
  let snapshot: RawSnapshot | undefined;
  for (const line of lines) {
    const sent = JSON.parse(line.slice(line.indexOf(' ') + 1)) as RawSnapshot | { readonly data: Exclude<RawMessage, RawSnapshot> };
    const message = 'data' in sent ? sent.data : sent;
    messages.push(message);
    if (message.e === undefined) snapshot = message;
    else if (message.e === 'depthUpdate') diffs.push(message);
    else if (message.e === 'bookTicker') tickers.push(message);
    else trades.push(message);
  }
  if (snapshot === undefined) throw new Error('no snapshot in the recording');
  return { messages, diffs, tickers, trades, snapshot };
}

export class NaiveBook {
  readonly bids: Map<string, string>;
  readonly asks: Map<string, string>;

  constructor(private readonly snapshot: RawSnapshot) {
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

  /** Best first, as numbers. */
  levels(side: 'bids' | 'asks'): [number, number][] {
    const sign = side === 'bids' ? -1 : 1;
    return [...this[side]]
      .map(([price, quantity]): [number, number] => [Number(price), Number(quantity)])
      .sort((x, y) => sign * (x[0] - y[0]));
  }

  /** Levels within the snapshot's price range; beyond it only changed levels are known. */
  covered(side: 'bids' | 'asks'): [number, number][] {
    const sign = side === 'bids' ? -1 : 1;
    const worst = Math.max(...this.snapshot[side].map(([price]) => sign * Number(price)));
    return this.levels(side).filter(([price]) => sign * price <= worst);
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
