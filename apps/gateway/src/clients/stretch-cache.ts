import { requestIdOr, withRequestContext, currentRequestId } from '@market-state/logging';

/**
 * What `make` gives, made anew when it is asked for so many milliseconds later; what fails is not kept. Whoever asks first may go away: it
 * is made for all who ask meanwhile.
 */
export function keptFor<T>(forMs: number, now: () => number, make: () => Promise<T>): () => Promise<T> {
  let kept: { readonly atMs: number; readonly value: Promise<T> } | undefined;
  return () => {
    if (kept !== undefined && now() - kept.atMs < forMs) return kept.value;
    const next = { atMs: now(), value: withRequestContext({ requestId: requestIdOr(currentRequestId()) }, make) };
    kept = next;
    next.value.catch(() => {
      if (kept === next) kept = undefined;
    });
    return next.value;
  };
}

/** Something that could not be made is not tried again for so long, milliseconds. */
const FAILED_FOR_MS = 1_000;

interface StretchCacheSettings {
  /** What is made in one stretch of the clock of this length, milliseconds, serves to its end. */
  readonly stretchMs: number;
  /** So many keys at most; beyond, the one that was made first goes. */
  readonly entriesMax: number;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Caches what is expensive to make and often asked for: it is made once for each key and stretch of time, however many ask, and not in the
 * name of the first caller, whose leaving would end it for the others.
 */
interface StretchCache<T> {
  get(key: string, make: () => Promise<T>): Promise<T>;
  /** What serves now, where it is made already. */
  known(key: string): T | null;
}

interface Entry<T> {
  readonly promise: Promise<T>;
  readonly madeMs: number;
  /** Null until it is there. */
  value: T | null;
  failedMs: number | null;
}

export function createStretchCache<T>({ stretchMs, entriesMax, now }: StretchCacheSettings): StretchCache<T> {
  const entries = new Map<string, Entry<T>>();

  function counts({ madeMs, failedMs }: Entry<T>, nowMs: number): boolean {
    if (nowMs < madeMs) return false;
    return failedMs === null ? Math.floor(nowMs / stretchMs) === Math.floor(madeMs / stretchMs) : nowMs < failedMs + FAILED_FOR_MS;
  }

  return {
    known(key) {
      const cached = entries.get(key);
      return cached !== undefined && counts(cached, now()) ? cached.value : null;
    },
    get(key, make) {
      const nowMs = now();
      const cached = entries.get(key);
      if (cached !== undefined && counts(cached, nowMs)) return cached.promise;
      const entry: Entry<T> = {
        promise: withRequestContext({ requestId: requestIdOr(undefined) }, make),
        madeMs: nowMs,
        value: null,
        failedMs: null,
      };
      entry.promise.then(
        (value) => (entry.value = value),
        () => (entry.failedMs = now()),
      );
      entries.delete(key);
      entries.set(key, entry);
      const [first] = entries.keys();
      if (entries.size > entriesMax && first !== undefined) entries.delete(first);
      return entry.promise;
    },
  };
}
