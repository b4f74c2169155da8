/** Limits how often the same thing is logged. */
export interface LogShare {
  /** Counts one. A number means to log it, and is how many were not logged since the last; null means not to. */
  count(key: string): number | null;
}

interface Counted {
  loggedMs: number;
  unlogged: number;
}

/** Allows one line in `everyMs` for each key. Beyond `keysMax` keys all are dropped, so that new ones cannot fill memory. */
export function createLogShare({
  everyMs,
  keysMax,
  nowMs = () => performance.now(),
}: {
  readonly everyMs: number;
  readonly keysMax: number;
  readonly nowMs?: () => number;
}): LogShare {
  const keys = new Map<string, Counted>();
  return {
    count(key) {
      const known = keys.get(key);
      if (known === undefined) {
        if (keys.size >= keysMax) keys.clear();
        keys.set(key, { loggedMs: nowMs(), unlogged: 0 });
        return 0;
      }
      if (nowMs() - known.loggedMs < everyMs) {
        known.unlogged += 1;
        return null;
      }
      const { unlogged } = known;
      Object.assign(known, { loggedMs: nowMs(), unlogged: 0 });
      return unlogged;
    },
  };
}
