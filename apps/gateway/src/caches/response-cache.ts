/** Inputs of a response, compared by identity. */
export type Marks = readonly unknown[];

interface ResponseCacheSettings<Value> {
  /** Beyond this total, the oldest response is evicted. */
  readonly sizeMax: number;
  /** Default 1, so that `sizeMax` counts responses. */
  readonly sizeOf?: (value: Value) => number;
  /** Default: no expiry. */
  readonly lifetime?: { readonly ttlMs: number; readonly monotonicMs: () => number };
}

/** Caches responses until one of their inputs changes. */
export interface ResponseCache<Key, Value> {
  /** Does not allocate. Evicts the response if its marks changed or are unknown (null). */
  get(key: Key, marksNow: Marks | null): Value | undefined;
  /** Ignores validity. */
  peek(key: Key): Value | undefined;
  /** Copies `marks`, so the caller may reuse the array. */
  set(key: Key, value: Value, marks: Marks): void;
  /** Updates the size of a response that has grown; its lifetime is unchanged. */
  resize(key: Key): void;
  size(): number;
}

interface Entry<Value> {
  readonly value: Value;
  readonly marks: Marks;
  readonly setMs: number;
  size: number;
}

export function createResponseCache<Key, Value>({
  sizeMax,
  sizeOf = () => 1,
  lifetime: { ttlMs, monotonicMs } = { ttlMs: Number.POSITIVE_INFINITY, monotonicMs: () => 0 },
}: ResponseCacheSettings<Value>): ResponseCache<Key, Value> {
  /** Insertion order is also expiry order. */
  const entries = new Map<Key, Entry<Value>>();
  let size = 0;

  function drop(key: Key): void {
    size -= entries.get(key)?.size ?? 0;
    entries.delete(key);
  }

  function dropOldest(): void {
    for (const key of entries.keys()) {
      if (size <= sizeMax) return;
      drop(key);
    }
  }

  return {
    get(key, marksNow) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (marksNow !== null && isSame(entry.marks, marksNow) && monotonicMs() - entry.setMs < ttlMs) return entry.value;
      drop(key);
      return undefined;
    },
    peek: (key) => entries.get(key)?.value,
    set(key, value, marks) {
      drop(key);
      const entry = { value, marks: [...marks], setMs: monotonicMs(), size: sizeOf(value) };
      entries.set(key, entry);
      size += entry.size;
      dropOldest();
    },
    resize(key) {
      const entry = entries.get(key);
      if (entry === undefined) return;
      size -= entry.size;
      entry.size = sizeOf(entry.value);
      size += entry.size;
      dropOldest();
    },
    size: () => size,
  };
}

/** A plain loop: runs on every read and must not allocate. */
function isSame(before: Marks, now: Marks): boolean {
  if (before.length !== now.length) return false;
  for (let at = 0; at < now.length; at += 1) if (before[at] !== now[at]) return false;
  return true;
}
