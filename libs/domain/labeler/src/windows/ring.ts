/** Oldest first. With a `limit`, the oldest is dropped. */
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

  at(index: number): T | undefined {
    return index < 0 ? undefined : this.items[this.start + index];
  }

  newest(back = 0): T | undefined {
    return this.at(this.length - 1 - back);
  }

  push(item: T): void {
    this.items.push(item);
    if (this.length > this.limit) this.shift();
  }

  shift(): T | undefined {
    if (this.length === 0) return undefined;
    const oldest = this.items[this.start++];
    if (this.start > 1024 && this.start * 2 > this.items.length) {
      this.items = this.items.slice(this.start);
      this.start = 0;
    }
    return oldest;
  }

  last(count: number): T[] {
    return this.items.slice(Math.max(this.start, this.items.length - count));
  }

  toArray(): T[] {
    return this.items.slice(this.start);
  }

  [Symbol.iterator](): Iterator<T> {
    return this.toArray()[Symbol.iterator]();
  }
}

/** Elements stamped after `startMs`, oldest first; stamps must not decrease. */
export function newerThan<T extends { readonly tsMs: number }>(ring: Ring<T>, startMs: number): readonly T[] {
  let count = 0;
  while (count < ring.length && (ring.newest(count)?.tsMs ?? startMs) > startMs) count++;
  return ring.last(count);
}
