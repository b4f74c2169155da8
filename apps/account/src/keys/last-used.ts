export const LAST_USED_INTERVAL_MS = 60_000;

/** Cached keys; beyond it the oldest is evicted, and the store's own guard still applies. */
const REMEMBERED_MAX = 50_000;

interface LastUsedStore {
  writeLastUsed(keyId: string, usedTsMs: number, unlessSinceMs: number): Promise<void>;
}

interface LastUsedDeps {
  readonly store: LastUsedStore;
  readonly clock: () => number;
  readonly onError: (error: unknown) => void;
}

/** Records key use off the request path. */
export interface LastUsed {
  /** Returns immediately; writes if the last write for the key is a minute old. */
  touch(keyId: string): void;
  drain(): Promise<void>;
}

export function createLastUsed(deps: LastUsedDeps): LastUsed {
  const writtenMs = new Map<string, number>();
  const writing = new Set<Promise<void>>();

  function remember(keyId: string, nowMs: number): void {
    writtenMs.delete(keyId);
    writtenMs.set(keyId, nowMs);
    const [oldest] = writtenMs.keys();
    if (writtenMs.size > REMEMBERED_MAX && oldest !== undefined) writtenMs.delete(oldest);
  }

  return {
    touch(keyId) {
      const nowMs = deps.clock();
      const beforeMs = writtenMs.get(keyId);
      if (beforeMs !== undefined && nowMs - beforeMs < LAST_USED_INTERVAL_MS) return;
      remember(keyId, nowMs);
      const write = deps.store
        .writeLastUsed(keyId, nowMs, nowMs - LAST_USED_INTERVAL_MS)
        .catch(deps.onError)
        .finally(() => writing.delete(write));
      writing.add(write);
    },
    async drain() {
      await Promise.all(writing);
    },
  };
}
