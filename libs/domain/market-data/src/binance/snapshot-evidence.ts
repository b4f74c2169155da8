import { isCount, isObject, type Json, parseObject } from '../json';
import { venueNumber } from '../decimal';

/** Best prices further apart than this share are not of one moment of one instrument. */
const NEAR_SHARE_MAX = 0.005;
/** Best prices further apart than this share are not of one instrument. */
const FAR_SHARE_MIN = 0.2;
/** Levels that must be named by changes up to a snapshot, and what share of them it must show as they were left. */
const LEVELS_MIN = 3;
const EQUAL_SHARE_MIN = 0.9;

/** A whole book that names no instrument. */
export interface UnnamedSnapshot {
  readonly lastId: number;
  readonly bids: ReadonlyMap<number, number>;
  readonly asks: ReadonlyMap<number, number>;
  readonly bestBid: number;
  readonly bestAsk: number;
}

/**
 * What an instrument's own messages say of a snapshot. `equal`: the update ids bridge it, and it shows the very book that they tell of;
 * `near`: they bridge it, and its best prices are the instrument's; `far`: its prices are not the instrument's; `silent`: nothing
 * that decides.
 */
export type SnapshotVerdict = 'equal' | 'near' | 'far' | 'silent';

interface Top {
  readonly id: number;
  readonly bid: number;
  readonly ask: number;
}

/** The snapshot that an answer of the route `depth` holds; undefined when it is none. */
export function readUnnamedSnapshot(text: string): UnnamedSnapshot | undefined {
  const { lastUpdateId: lastId, bids, asks, symbol } = parseObject(text) ?? {};
  if (!isCount(lastId) || symbol !== undefined) return undefined;
  const [bidLevels, askLevels] = [levelsOf(bids), levelsOf(asks)];
  return {
    lastId,
    bids: new Map(bidLevels),
    asks: new Map(askLevels),
    bestBid: Math.max(...bidLevels.map(([price]) => price)),
    bestAsk: Math.min(...askLevels.map(([price]) => price)),
  };
}

/**
 * Holds one instrument's messages around a snapshot against it. Update ids alone decide nothing: instruments of one matching engine share a
 * counter, so changes of several may bridge one snapshot.
 */
export class SnapshotEvidence {
  private isBridged = false;
  /** Newest best prices up to the snapshot, and oldest behind it. */
  private before: Top | undefined;
  private after: Top | undefined;
  private tradePrice: number | undefined;
  /** Price levels as changes up to the snapshot left them; the newest change of each. */
  private readonly changed = { bids: new Map<number, LevelChange>(), asks: new Map<number, LevelChange>() };

  constructor(private readonly snapshot: UnnamedSnapshot) {}

  /** @param text a combined-stream message of the instrument */
  add(text: string): void {
    const data = parseObject(text)?.['data'];
    if (!isObject(data)) return;
    if (data['e'] === 'depthUpdate') this.addDiff(data);
    else if (data['e'] === 'bookTicker') this.addTop(data);
    else if (data['e'] === 'trade' || data['e'] === 'aggTrade') this.tradePrice ??= venueNumber(data['p']);
  }

  get verdict(): SnapshotVerdict {
    const { snapshot, before, after, tradePrice, isBridged } = this;
    const { bestBid, bestAsk } = snapshot;
    const distances = [before, after].flatMap((top) =>
      top === undefined ? [] : [share((top.bid + top.ask) / 2, (bestBid + bestAsk) / 2)],
    );
    if (distances.length === 0 && tradePrice !== undefined) distances.push(share(tradePrice, (bestBid + bestAsk) / 2));
    if (distances.some((distance) => !(distance < FAR_SHARE_MIN))) return 'far';
    if (!isBridged) return 'silent';
    if ((before?.bid === bestBid && before.ask === bestAsk) || this.showsChanges) return 'equal';
    return distances.some((distance) => distance <= NEAR_SHARE_MAX) ? 'near' : 'silent';
  }

  private addDiff({ U: firstId, u: lastId, b: bids, a: asks }: Json): void {
    if (!isCount(firstId) || !isCount(lastId)) return;
    const { lastId: snapshotId } = this.snapshot;
    if (firstId <= snapshotId + 1 && lastId >= snapshotId) this.isBridged = true;
    if (lastId > snapshotId) return;
    for (const [side, levels] of [
      [this.changed.bids, levelsOf(bids)],
      [this.changed.asks, levelsOf(asks)],
    ] as const) {
      for (const [price, quantity] of levels) if ((side.get(price)?.id ?? 0) <= lastId) side.set(price, { id: lastId, quantity });
    }
  }

  private addTop({ u: id, b, a }: Json): void {
    const [bid, ask] = [venueNumber(b), venueNumber(a)];
    if (!isCount(id) || !(bid > 0) || !(ask > 0)) return;
    if (id <= this.snapshot.lastId) {
      if (id >= (this.before?.id ?? 0)) this.before = { id, bid, ask };
    } else if (id < (this.after?.id ?? Infinity)) this.after = { id, bid, ask };
  }

  /** Whether the snapshot has the levels that changes up to it named, as they left them. */
  private get showsChanges(): boolean {
    const { bids, asks } = this.snapshot;
    const lowestBid = Math.min(...bids.keys());
    const highestAsk = Math.max(...asks.keys());
    const compared = [
      ...[...this.changed.bids].filter(([price]) => price >= lowestBid).map(([price, { quantity }]) => (bids.get(price) ?? 0) === quantity),
      ...[...this.changed.asks]
        .filter(([price]) => price <= highestAsk)
        .map(([price, { quantity }]) => (asks.get(price) ?? 0) === quantity),
    ];
    return compared.length >= LEVELS_MIN && compared.filter(Boolean).length >= EQUAL_SHARE_MIN * compared.length;
  }
}

interface LevelChange {
  readonly id: number;
  readonly quantity: number;
}

function share(price: number, other: number): number {
  return Math.abs(price / other - 1);
}

function levelsOf(value: unknown): readonly (readonly [price: number, quantity: number])[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((level: unknown) => (Array.isArray(level) ? [[venueNumber(level[0]), venueNumber(level[1])] as const] : []));
}
