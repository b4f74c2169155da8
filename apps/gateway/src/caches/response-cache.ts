/** What a response is made from, compared by identity, one by one: it is valid while all are the same. */
export type Marks = readonly unknown[];

interface ResponseCacheSettings<Value> {
  /** Bound of the sum of sizes; beyond, the response that was set first is dropped. */
  readonly sizeMax: number;
  /** Size of a response; default 1, so that `sizeMax` is a number of responses. */
  readonly sizeOf?: (value: Value) => number;
  /** No response is cached for longer; default without end. */
  readonly lifetime?: { readonly ttlMs: number; readonly monotonicMs: () => number };
}

/** Responses that are valid as long as what they were made from stays the same. */
export interface ResponseCache<Key, Value> {
  /** A valid response. One whose marks are others now is dropped, as is any when they are not known (null). Allocates nothing. */
  get(key: Key, marksNow: Marks | null): Value | undefined;
  /** The response, whether it is valid or not. */
  peek(key: Key): Value | undefined;
  /** The marks are copied, so that the caller may use the array again. */
  set(key: Key, value: Value, marks: Marks): void;
  /** Counts a response that has grown at its size now; its lifetime goes on. */
  resize(key: Key): void;
  /** Sum of sizes. */
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
  /** In the order in which they were set, which is that in which they expire. */
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

/** A loop, without a closure: it runs on each read. */
function isSame(before: Marks, now: Marks): boolean {
  if (before.length !== now.length) return false;
  for (let at = 0; at < now.length; at += 1) if (before[at] !== now[at]) return false;
  return true;
}
