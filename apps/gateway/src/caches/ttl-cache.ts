import { currentRequestId, requestIdOr, withRequestContext } from '@market-state/logging';

interface TtlCacheSettings {
  /** Lifetime of a value from the start of its load, milliseconds. */
  readonly ttlMs: number;
  /**
   * Values expire at the multiples of the lifetime on the clock instead, all at the same instant: one that is loaded from others in such
   * caches is never older than they may be. Default false.
   */
  readonly aligned?: boolean;
  /** A load that failed is not repeated for this long, milliseconds: its error is the answer. Default 0. */
  readonly failureTtlMs?: number;
  /** Beyond so many keys, the entry that was loaded first is dropped. Default 1. */
  readonly entriesMax?: number;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
}

/** Values that are expensive to load and often read: one load serves every caller until the value expires. */
export interface TtlCache<T> {
  /** The cached value, or that of the load under way, or of a new one. */
  get(key: string, load: () => Promise<T>): Promise<T>;
  /** The cached value; null where it would have to be loaded or waited for. */
  peek(key: string): T | null;
}

interface Entry<T> {
  readonly promise: Promise<T>;
  readonly startedMs: number;
  expiresMs: number;
  /** Null until it is loaded. */
  value: T | null;
}

/** A load runs outside the request of its first caller, who may leave while others wait for it; it carries that request's id. */
export function createTtlCache<T>({ ttlMs, aligned = false, failureTtlMs = 0, entriesMax = 1, now }: TtlCacheSettings): TtlCache<T> {
  const entries = new Map<string, Entry<T>>();

  /** A clock that was set back ends an entry too: its age is not known. */
  function current(key: string, nowMs: number): Entry<T> | null {
    const entry = entries.get(key);
    return entry !== undefined && entry.startedMs <= nowMs && nowMs < entry.expiresMs ? entry : null;
  }

  function start(key: string, load: () => Promise<T>, startedMs: number): Entry<T> {
    const entry: Entry<T> = {
      promise: withRequestContext({ requestId: requestIdOr(currentRequestId()) }, load),
      startedMs,
      expiresMs: (aligned ? Math.floor(startedMs / ttlMs) * ttlMs : startedMs) + ttlMs,
      value: null,
    };
    entry.promise.then(
      (value) => (entry.value = value),
      () => (entry.expiresMs = now() + failureTtlMs),
    );
    entries.delete(key);
    entries.set(key, entry);
    const [first] = entries.keys();
    if (entries.size > entriesMax && first !== undefined) entries.delete(first);
    return entry;
  }

  return {
    get(key, load) {
      const nowMs = now();
      return (current(key, nowMs) ?? start(key, load, nowMs)).promise;
    },
    peek: (key) => current(key, now())?.value ?? null,
  };
}
