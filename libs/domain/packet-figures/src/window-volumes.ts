import { WINDOW_MS, type MarketEvent } from '@market-state/market-data';
import type { WindowVolume } from './sample';

interface Traded {
  buys: number;
  sells: number;
  /** Ids of the trades counted: some venues send a trade twice. */
  readonly ids: Set<string>;
}

/** What each window of a log traded, from its entries, until the packet of the window asks. */
export class WindowVolumes {
  private readonly windows = new Map<number, Traded>();
  private takenMs = 0;

  addEntry(entry: MarketEvent): void {
    if (entry.kind !== 'trade') return;
    const windowEndMs = Math.ceil(entry.exchangeTsMs / WINDOW_MS) * WINDOW_MS;
    if (windowEndMs <= this.takenMs) return;
    const traded = this.windows.get(windowEndMs) ?? { buys: 0, sells: 0, ids: new Set() };
    this.windows.set(windowEndMs, traded);
    if (entry.venueId !== '' && traded.ids.has(entry.venueId)) return;
    traded.ids.add(entry.venueId);
    if (entry.aggressorSide === 'buy') traded.buys += Number(entry.size);
    else traded.sells += Number(entry.size);
  }

  /** Sizes traded in (T − 10 s, T] by what was logged so far. Windows are taken in their order, each once. */
  take(windowEndMs: number): WindowVolume {
    const { buys, sells } = this.windows.get(windowEndMs) ?? { buys: 0, sells: 0 };
    for (const ms of this.windows.keys()) if (ms <= windowEndMs) this.windows.delete(ms);
    this.takenMs = windowEndMs;
    return { buys, sells };
  }
}
