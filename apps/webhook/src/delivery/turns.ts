/** Lanes that found no place of their tenant, in the order in which they came. What is lost here only delays: they are rung for as well. */
export interface Turns {
  wait(tenantId: string, endpointId: string): void;
  isWaitedFor(tenantId: string): boolean;
  /** Whose turn it is; undefined where nobody waits. */
  next(tenantId: string): string | undefined;
}

export function createTurns(): Turns {
  const waiting = new Map<string, Set<string>>();
  return {
    wait(tenantId, endpointId) {
      const lanes = waiting.get(tenantId) ?? new Set();
      waiting.set(tenantId, lanes.add(endpointId));
    },
    isWaitedFor: (tenantId) => waiting.has(tenantId),
    next(tenantId) {
      const lanes = waiting.get(tenantId);
      const [first] = lanes ?? [];
      if (lanes === undefined || first === undefined) return undefined;
      lanes.delete(first);
      if (lanes.size === 0) waiting.delete(tenantId);
      return first;
    },
  };
}
