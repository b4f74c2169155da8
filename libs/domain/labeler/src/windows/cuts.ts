import type { Channel } from '@market-state/market-data';

/** Channels whose windows a cut can end. */
export const CUT_CHANNELS = ['book', 'trade', 'context', 'liquidation'] as const satisfies readonly Channel[];
export type CutChannel = (typeof CUT_CHANNELS)[number];

/**
 * Instants of exchange time that no window over entries may span, by channel. A cut at `c` parts what happened at or before
 * `c` from what came after; for a packet at T it exists once c < T. The newest cut before a channel's oldest kept one stays.
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

  /** Undoes one cut of the channel at the instant, where there is one. */
  takeBack(channel: CutChannel, instantMs: number): void {
    const place = this.instants[channel].indexOf(instantMs);
    if (place >= 0) this.instants[channel].splice(place, 1);
  }

  addAll(instantMs: number): void {
    for (const channel of CUT_CHANNELS) this.add(channel, instantMs);
  }

  /** The newest cut before T; minus infinity without one. What a window over entries holds lies after it. */
  newestBefore(channel: CutChannel, windowEndMs: number): number {
    return this.instants[channel].findLast((instant) => instant < windowEndMs) ?? Number.NEGATIVE_INFINITY;
  }

  /** Start of a window of `lengthMs` that ends at T: what it holds lies after the returned instant. */
  windowStart(channel: CutChannel, windowEndMs: number, lengthMs: number): number {
    return Math.max(windowEndMs - lengthMs, this.newestBefore(channel, windowEndMs));
  }

  /** Whether a cut parts an element at `fromMs` from a later one at `toMs`. */
  parts(channel: CutChannel, fromMs: number, toMs: number): boolean {
    return this.instants[channel].some((instant) => fromMs <= instant && instant < toMs);
  }

  /** Forgets cuts before `beforeMs`, but for the newest of them in each channel. */
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
