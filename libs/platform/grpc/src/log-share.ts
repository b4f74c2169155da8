/** Bounds how often the same thing is logged. */
export interface LogShare {
  /** Counts one. A number says to log it, and how many of the same were not logged since the last; null says not to. */
  count(key: string): number | null;
}

interface Counted {
  loggedMs: number;
  unlogged: number;
}

/**
 * Lets one line through in `everyMs` for each key. Of more than `keysMax` keys all are forgotten, so that nobody fills memory by new ones.
 */
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
