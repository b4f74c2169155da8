interface ModelCall {
  readonly id: number;
  readonly body: number;
  fence: number;
  finishedAtMs?: number;
  startedAtMs: number;
}

/** Model of idempotent calls on a map, independent of the service. */
export function createIdempotencyModel() {
  const calls = new Map<number, ModelCall>();
  let nowMs = 0;
  let ids = 0;

  function find(id: number): ModelCall | undefined {
    return [...calls.values()].find((call) => call.id === id);
  }

  return {
    wait(ms: number): void {
      nowMs += ms;
    },
    begin(key: number, body: number): { kind: 'begun'; id: number; fence: number } | { kind: 'stored' | 'running' | 'mismatch' } {
      const call = calls.get(key);
      const age = call === undefined ? 0 : nowMs - (call.finishedAtMs ?? call.startedAtMs + 60_000);
      if (call === undefined || age >= 86_400_000) {
        ids += 1;
        calls.set(key, { id: ids, body, fence: 1, startedAtMs: nowMs });
        return { kind: 'begun', id: ids, fence: 1 };
      }
      if (call.body !== body) return { kind: 'mismatch' };
      if (call.finishedAtMs !== undefined) return { kind: 'stored' };
      if (nowMs - call.startedAtMs < 60_000) return { kind: 'running' };
      call.fence += 1;
      call.startedAtMs = nowMs;
      return { kind: 'begun', id: call.id, fence: call.fence };
    },
    /** Returns true if accepted. */
    finish(id: number, fence: number): boolean {
      const call = find(id);
      if (call === undefined || call.fence !== fence) return false;
      call.finishedAtMs ??= nowMs;
      return true;
    },
    /** Returns true if accepted. */
    abandon(id: number, fence: number): boolean {
      const call = find(id);
      if (call === undefined) return true;
      if (call.fence !== fence || call.finishedAtMs !== undefined) return false;
      calls.forEach((kept, key) => kept.id === id && calls.delete(key));
      return true;
    },
  };
}
