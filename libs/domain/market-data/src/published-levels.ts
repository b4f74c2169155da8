import type { SideEntries } from './book-side';
import { normalizeDecimal } from './decimal';
import type { BookLevel } from './event';
import { inverseSize } from './inverse-size';

/**
 * Gives the levels of one side in published form, best first. It remembers the levels that it gave last: one that has not
 * changed since is the same object again, so its size is not computed anew.
 */
export class PublishedLevels {
  private lastEntries: SideEntries = new Float64Array(0);
  private lastLevels: readonly BookLevel[] = [];

  constructor(
    private readonly direction: 1 | -1,
    private readonly contractValue: string,
  ) {}

  /** The levels of all the given entries. */
  read(entries: SideEntries): readonly BookLevel[] {
    const { lastEntries, lastLevels } = this;
    const levels: BookLevel[] = [];
    let last = lastEntries.length - 2;
    for (let at = entries.length - 2; at >= 0; at -= 2) {
      const key = entries[at] ?? 0;
      while (last >= 0 && (lastEntries[last] ?? 0) > key) last -= 2;
      const isKept = last >= 0 && lastEntries[last] === key && lastEntries[last + 1] === entries[at + 1];
      const kept = isKept ? lastLevels[lastLevels.length - 1 - last / 2] : undefined;
      levels.push(kept ?? publishLevel(key * this.direction, entries[at + 1] ?? 0, this.contractValue));
    }
    this.lastEntries = entries;
    this.lastLevels = levels;
    return levels;
  }
}

/** A level of an inverse contract, from numbers that stand for decimals of at most 15 digits. */
export function publishLevel(price: number, contracts: number, contractValue: string): BookLevel {
  const text = plain(price);
  const venueSize = plain(contracts);
  return { price: text, size: inverseSize(venueSize, contractValue, text), venueSize };
}

/** Plain notation of a number of at most 15 digits: the shortest text that gives the number is the decimal it stands for. */
function plain(value: number): string {
  const text = String(value);
  return text.includes('e') ? normalizeDecimal(text) : text;
}
