import { channelOf, identityOf } from '@market-state/market-data';
import { Ring } from '../windows/ring';
import type { DataEvent } from '../windows/entry-windows';

export type SeenId = readonly [identity: string, exchangeTsMs: number];

export function identityKey(event: DataEvent): string {
  return `${channelOf(event)}:${event.pass}:${identityOf(event)}`;
}

/** Covers the last minutes of event time, for deduplication. */
export class SeenIds {
  private readonly order: Ring<SeenId>;
  private readonly times: Map<string, number>;

  constructor(
    private readonly spanMs: number,
    seen: Iterable<SeenId> = [],
  ) {
    this.order = new Ring();
    this.times = new Map();
    for (const id of seen) this.note(id);
  }

  /**
   * True if known with an exchange time at most `spanMs` away. Ids are retained while their time is after `closedMs` −
   * `spanMs`; `closedMs` is the end of the last window.
   */
  has(identity: string, exchangeTsMs: number, closedMs: number): boolean {
    const known = this.times.get(identity);
    return known !== undefined && known > closedMs - this.spanMs && Math.abs(exchangeTsMs - known) <= this.spanMs;
  }

  addNew(identity: string, exchangeTsMs: number, closedMs: number): boolean {
    if (this.has(identity, exchangeTsMs, closedMs)) return false;
    this.note([identity, exchangeTsMs]);
    return true;
  }

  private note(id: SeenId): void {
    const [identity, exchangeTsMs] = id;
    this.order.push(id);
    this.times.set(identity, Math.max(exchangeTsMs, this.times.get(identity) ?? exchangeTsMs));
  }

  forget(beforeMs: number): void {
    for (let oldest = this.order.at(0); oldest !== undefined && oldest[1] <= beforeMs; oldest = this.order.at(0)) {
      this.order.shift();
      if (this.times.get(oldest[0]) === oldest[1]) this.times.delete(oldest[0]);
    }
  }

  dump(): readonly SeenId[] {
    return [...this.order];
  }
}
