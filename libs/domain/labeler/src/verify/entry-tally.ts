import type { MarketEvent } from '@market-state/market-data';

/** Entries that are missing between two that are there. Ordinals, both inclusive. */
export interface EntryHole {
  readonly firstOrdinal: number;
  readonly lastOrdinal: number;
  /** The log itself was lost there: the entry after the hole is of a new epoch. */
  readonly newEpoch: boolean;
}

/** What was read of a log. */
export interface EntryCount {
  readonly total: number;
  /** Null before the first entry. */
  readonly firstOrdinal: number | null;
  readonly lastOrdinal: number | null;
  readonly holes: readonly EntryHole[];
  /** Entries at or below an ordinal read before: they change nothing. */
  readonly repeatedTotal: number;
}

/** Counts entries and finds what is missing between them. */
export class EntryTally {
  /** Entries taken so far, repeats left out. */
  total = 0;
  private firstOrdinal: number | null = null;
  private lastOrdinal: number | null;
  private lastEpoch: number;
  private repeatedTotal = 0;
  private readonly holes: EntryHole[] = [];

  /** @param after the entry that reading goes on after; ordinal 0: any entry may be the first */
  constructor(after: { readonly ordinal: number; readonly epoch: number }) {
    this.lastOrdinal = after.ordinal === 0 ? null : after.ordinal;
    this.lastEpoch = after.epoch;
  }

  /** Takes the next entry; false when it repeats an earlier place. */
  take({ ordinal, epoch }: MarketEvent): boolean {
    const last = this.lastOrdinal;
    if (last !== null && ordinal <= last) {
      this.repeatedTotal++;
      return false;
    }
    if (last !== null && ordinal > last + 1)
      this.holes.push({ firstOrdinal: last + 1, lastOrdinal: ordinal - 1, newEpoch: epoch !== this.lastEpoch });
    this.total++;
    this.firstOrdinal ??= ordinal;
    this.lastOrdinal = ordinal;
    this.lastEpoch = epoch;
    return true;
  }

  count(): EntryCount {
    const { total, firstOrdinal, holes, repeatedTotal } = this;
    return { total, firstOrdinal, lastOrdinal: total === 0 ? null : this.lastOrdinal, holes: [...holes], repeatedTotal };
  }
}
