import { channelOf, identityOf } from '@market-state/market-data';
import { Ring } from '../windows/ring';
import type { DataEvent } from '../windows/entry-windows';

/** An event's identity (channel, pass, venue id) and the exchange time it was seen with. */
export type SeenId = readonly [identity: string, exchangeTsMs: number];

/** The venue ids seen of late, so that a repeated event counts once. */
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
   * Notes the event, and says whether it repeats one: same channel, pass and venue id, exchange times at most `spanMs` apart, the earlier
   * one not yet forgotten (ids are kept while their time lies after `closedMs` − `spanMs`, `closedMs` being the end of the last window).
   */
  repeats(event: DataEvent, closedMs: number): boolean {
    const identity = `${channelOf(event)}:${event.pass}:${identityOf(event)}`;
    const known = this.times.get(identity);
    const repeated = known !== undefined && known > closedMs - this.spanMs && Math.abs(event.exchangeTsMs - known) <= this.spanMs;
    if (!repeated) this.note([identity, event.exchangeTsMs]);
    return repeated;
  }

  /** Of several times of one identity the newest counts. */
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
