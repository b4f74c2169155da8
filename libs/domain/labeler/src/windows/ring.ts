/** A queue of the newest elements, oldest first. With a `limit` the oldest gives way to the newest. */
export class Ring<T> implements Iterable<T> {
  private items: T[];
  private start = 0;

  constructor(
    items: Iterable<T> = [],
    private readonly limit = Number.POSITIVE_INFINITY,
  ) {
    this.items = [...items];
  }

  get length(): number {
    return this.items.length - this.start;
  }

  /** The element `index` places after the oldest; undefined outside. */
  at(index: number): T | undefined {
    return index < 0 ? undefined : this.items[this.start + index];
  }

  /** The element `back` places before the newest (0 is the newest); undefined outside. */
  newest(back = 0): T | undefined {
    return this.at(this.length - 1 - back);
  }

  push(item: T): void {
    this.items.push(item);
    if (this.length > this.limit) this.shift();
  }

  /** Removes and returns the oldest. */
  shift(): T | undefined {
    if (this.length === 0) return undefined;
    const oldest = this.items[this.start++];
    if (this.start > 1024 && this.start * 2 > this.items.length) {
      this.items = this.items.slice(this.start);
      this.start = 0;
    }
    return oldest;
  }

  /** The newest `count`, oldest first; all when there are fewer. */
  last(count: number): T[] {
    return this.items.slice(Math.max(this.start, this.items.length - count));
  }

  /** All elements, oldest first. */
  toArray(): T[] {
    return this.items.slice(this.start);
  }

  [Symbol.iterator](): Iterator<T> {
    return this.toArray()[Symbol.iterator]();
  }
}

/** The elements stamped after `startMs`, oldest first; the ring's stamps never fall. */
export function newerThan<T extends { readonly tsMs: number }>(ring: Ring<T>, startMs: number): readonly T[] {
  let count = 0;
  while (count < ring.length && (ring.newest(count)?.tsMs ?? startMs) > startMs) count++;
  return ring.last(count);
}
