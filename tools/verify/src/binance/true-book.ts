import type { RawDiff, RawSnapshot } from './recorded-market';

/** A level as it was published: decimal strings, the quantity as the venue counts it. */
export type ToldLevel = readonly [price: string, quantity: string];

/** The book as the venue has it: plain maps from price to quantity, kept by every diff. Shares no code with what is tested. */
export class TrueBook {
  private readonly bids: Map<number, string>;
  private readonly asks: Map<number, string>;

  constructor(
    snapshot: RawSnapshot,
    public lastId = snapshot.lastUpdateId,
    public timeMs = 0,
  ) {
    this.bids = byPrice(snapshot.bids);
    this.asks = byPrice(snapshot.asks);
  }

  apply({ b, a, u, T }: RawDiff): void {
    change(this.bids, b);
    change(this.asks, a);
    this.lastId = u;
    this.timeMs = T;
  }

  copy(): TrueBook {
    return new TrueBook({ lastUpdateId: this.lastId, bids: levelsOf(this.bids), asks: levelsOf(this.asks) }, this.lastId, this.timeMs);
  }

  /** The answer of the venue's REST route with the best levels, so many a side. COIN-M names the instrument, USD-M does not. */
  answer(symbol: string | undefined, limit = Infinity): string {
    const { lastId: lastUpdateId, timeMs } = this;
    const best = (side: ReadonlyMap<number, string>, sign: 1 | -1) =>
      levelsOf(side)
        .sort(([a], [b]) => sign * (Number(a) - Number(b)))
        .slice(0, limit);
    return JSON.stringify({ lastUpdateId, E: timeMs, T: timeMs, symbol, bids: best(this.bids, -1), asks: best(this.asks, 1) });
  }

  /** Whether these are the best levels of a side, best first: at least `fewest`, or all there are. */
  isSide(side: 'bids' | 'asks', told: readonly ToldLevel[], fewest: number): boolean {
    const levels = this[side];
    const sign = side === 'bids' ? -1 : 1;
    if (told.length < Math.min(fewest, levels.size)) return false;
    let last = -Infinity;
    for (const [price, quantity] of told) {
      const place = sign * Number(price);
      if (place <= last || Number(levels.get(Number(price))) !== Number(quantity)) return false;
      last = place;
    }
    let better = 0;
    for (const price of levels.keys()) if (sign * price <= last) better++;
    return better === told.length;
  }
}

function byPrice(levels: RawSnapshot['bids']): Map<number, string> {
  return new Map(levels.map(([price, quantity]) => [Number(price), quantity]));
}

function levelsOf(side: ReadonlyMap<number, string>): [price: string, quantity: string][] {
  return [...side].map(([price, quantity]) => [String(price), quantity]);
}

function change(side: Map<number, string>, levels: RawDiff['b']): void {
  for (const [price, quantity] of levels) {
    if (Number(quantity) === 0) side.delete(Number(price));
    else side.set(Number(price), quantity);
  }
}
