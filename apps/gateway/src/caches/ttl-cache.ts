import { currentRequestId, requestIdOr, withRequestContext } from '@market-state/logging';

interface TtlCacheSettings {
  /** Counted from the start of the load. */
  readonly ttlMs: number;
  /**
   * Expire at multiples of `ttlMs` on the wall clock, so that nested caches do not add up their ages. Default false.
   */
  readonly aligned?: boolean;
  /** A failed load is not retried for this long. Default 0. */
  readonly failureTtlMs?: number;
  /** Beyond this many keys, the oldest entry is evicted. Default 1. */
  readonly entriesMax?: number;
  readonly now: () => number;
}

/** One load serves every caller until the value expires. */
export interface TtlCache<T> {
  /** Joins a load in progress, or starts one. */
  get(key: string, load: () => Promise<T>): Promise<T>;
  peek(key: string): T | null;
}

interface Entry<T> {
  readonly promise: Promise<T>;
  readonly startedMs: number;
  expiresMs: number;
  value: T | null;
}

/** A load is detached from its first caller, which may disconnect, but keeps its request id. */
export function createTtlCache<T>({ ttlMs, aligned = false, failureTtlMs = 0, entriesMax = 1, now }: TtlCacheSettings): TtlCache<T> {
  const entries = new Map<string, Entry<T>>();

  /** A clock set back also expires the entry: its age is unknown. */
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
