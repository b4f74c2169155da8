import { WINDOW_MS, type MarketEvent } from '@market-state/market-data';
import type { WindowVolume } from './sample';

interface Traded {
  buys: number;
  sells: number;
  /** Ids of the trades counted: some venues send a trade twice. */
  readonly ids: Set<string>;
}

export class WindowVolumes {
  private readonly windows = new Map<number, Traded>();
  private takenAtMs = 0;

  addEntry(entry: MarketEvent): void {
    if (entry.kind !== 'trade') return;
    const windowEndMs = Math.ceil(entry.exchangeTsMs / WINDOW_MS) * WINDOW_MS;
    if (windowEndMs <= this.takenAtMs) return;
    const traded = this.windows.get(windowEndMs) ?? { buys: 0, sells: 0, ids: new Set() };
    this.windows.set(windowEndMs, traded);
    if (entry.venueId !== '' && traded.ids.has(entry.venueId)) return;
    traded.ids.add(entry.venueId);
    if (entry.aggressorSide === 'buy') traded.buys += Number(entry.size);
    else traded.sells += Number(entry.size);
  }

  /** Returns and forgets the sizes traded in (T − 10 s, T]. Call once per window, in order. */
  take(windowEndMs: number): WindowVolume {
    const { buys, sells } = this.windows.get(windowEndMs) ?? { buys: 0, sells: 0 };
    for (const ms of this.windows.keys()) if (ms <= windowEndMs) this.windows.delete(ms);
    this.takenAtMs = windowEndMs;
    return { buys, sells };
  }
}
