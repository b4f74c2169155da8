import { requestIdOr, withRequestContext } from '@market-state/logging';

/** Something that could not be made is not tried again for so long, milliseconds. */
const FAILED_FOR_MS = 1_000;

export interface HoldSettings {
  /** What is made in one stretch of the clock of this length, milliseconds, serves to its end. */
  readonly stretchMs: number;
  /** So many keys at most; beyond, the one that was made first goes. */
  readonly entriesMax: number;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * What is dear to make and often asked for: made once for each key and stretch of time, however many ask. It is not made in the name of the first who asked, whose
 * leaving would end it for the others.
 */
export interface Hold<T> {
  get(key: string, make: () => Promise<T>): Promise<T>;
}

interface Entry<T> {
  readonly promise: Promise<T>;
  readonly madeMs: number;
  failedMs: number | null;
}

export function createHold<T>({ stretchMs, entriesMax, now }: HoldSettings): Hold<T> {
  const entries = new Map<string, Entry<T>>();

  function counts({ madeMs, failedMs }: Entry<T>, nowMs: number): boolean {
    if (nowMs < madeMs) return false;
    return failedMs === null ? Math.floor(nowMs / stretchMs) === Math.floor(madeMs / stretchMs) : nowMs < failedMs + FAILED_FOR_MS;
  }

  return {
    get(key, make) {
      const nowMs = now();
      const held = entries.get(key);
      if (held !== undefined && counts(held, nowMs)) return held.promise;
      const entry: Entry<T> = { promise: withRequestContext({ requestId: requestIdOr(undefined) }, make), madeMs: nowMs, failedMs: null };
      entry.promise.catch(() => {
        entry.failedMs = now();
      });
      entries.delete(key);
      entries.set(key, entry);
      const [first] = entries.keys();
      if (entries.size > entriesMax && first !== undefined) entries.delete(first);
      return entry.promise;
    },
  };
}
