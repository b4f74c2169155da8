import type { Channel } from '@market-state/market-data';

export const CUT_CHANNELS = ['book', 'trade', 'context', 'liquidation'] as const satisfies readonly Channel[];
export type CutChannel = (typeof CUT_CHANNELS)[number];

/**
 * Exchange times that no window over entries may span, by channel. A cut at `c` separates events at or before `c` from
 * later ones; it applies to packets at T > c. The newest cut before a channel's oldest retained one stays.
 */
export class Cuts {
  private readonly instants: Record<CutChannel, number[]>;

  constructor(instants: Partial<Record<CutChannel, readonly number[]>> = {}) {
    this.instants = {
      book: [...(instants.book ?? [])],
      trade: [...(instants.trade ?? [])],
      context: [...(instants.context ?? [])],
      liquidation: [...(instants.liquidation ?? [])],
    };
  }

  add(channel: CutChannel, instantMs: number): void {
    const instants = this.instants[channel];
    let place = instants.length;
    while (place > 0 && (instants[place - 1] as number) > instantMs) place--;
    instants.splice(place, 0, instantMs);
  }

  takeBack(channel: CutChannel, instantMs: number): void {
    const place = this.instants[channel].indexOf(instantMs);
    if (place >= 0) this.instants[channel].splice(place, 1);
  }

  addAll(instantMs: number): void {
    for (const channel of CUT_CHANNELS) this.add(channel, instantMs);
  }

  /** Newest cut before T, or minus infinity; windows contain only later entries. */
  newestBefore(channel: CutChannel, windowEndMs: number): number {
    return this.instants[channel].findLast((instant) => instant < windowEndMs) ?? Number.NEGATIVE_INFINITY;
  }

  windowStart(channel: CutChannel, windowEndMs: number, lengthMs: number): number {
    return Math.max(windowEndMs - lengthMs, this.newestBefore(channel, windowEndMs));
  }

  parts(channel: CutChannel, fromMs: number, toMs: number): boolean {
    return this.instants[channel].some((instant) => fromMs <= instant && instant < toMs);
  }

  forget(beforeMs: number): void {
    for (const channel of CUT_CHANNELS) {
      const instants = this.instants[channel];
      while (instants.length > 1 && (instants[1] as number) < beforeMs) instants.shift();
    }
  }

  dump(): Record<CutChannel, readonly number[]> {
    return this.instants;
  }
}
