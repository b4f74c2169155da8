interface SlotLimits {
  readonly active: number;
  readonly parked: number;
  /** Age at which an active attempt is parked. */
  readonly parkAfterMs: number;
  /** Minimum age at which a parked attempt may be cut to free a slot. */
  readonly cutAfterMs: number;
}

export const SLOT_LIMITS: SlotLimits = { active: 200, parked: 2_000, parkAfterMs: 250, cutAfterMs: 5_000 };
/** Slow endpoints share one in this many slots. */
const SLOW_SHARE = 4;

interface Slot {
  readonly isSlow: boolean;
  readonly sinceMs: number;
  readonly cut: () => void;
}

export interface ProcessSlots {
  free(): Promise<void>;
  isWaitedFor(): boolean;
  left(): number;
  /** Claims up to `wanted` active slots. @returns number taken; 0 if none is free for this kind of endpoint */
  take(wanted: number, isSlow: boolean): number;
  giveBack(total: number, isSlow: boolean): void;
  /** `cut` must abort the attempt. Call the returned function when it has ended. */
  begin(isSlow: boolean, cut: () => void): () => void;
  active(): number;
  parked(): number;
}

export function createProcessSlots(limits: SlotLimits, monotonicMs: () => number): ProcessSlots {
  const active = { all: 0, slow: 0 };
  const parked = { all: new Set<Slot>(), slow: new Set<Slot>() };
  const waiting: (() => void)[] = [];

  function giveBack(total: number, isSlow: boolean): void {
    active.all -= total;
    if (isSlow) active.slow -= total;
    for (const wake of waiting.splice(0, total)) wake();
  }

  /** False if no slot is free and none can be cut. */
  function park(slot: Slot): boolean {
    const isFull = (set: Set<Slot>, limit: number): boolean => {
      if (set.size < limit) return false;
      const [oldest] = set;
      if (oldest === undefined || monotonicMs() - oldest.sinceMs < limits.cutAfterMs) return true;
      unpark(oldest);
      oldest.cut();
      return false;
    };
    if (slot.isSlow && isFull(parked.slow, limits.parked / SLOW_SHARE)) return false;
    if (isFull(parked.all, limits.parked)) return false;
    parked.all.add(slot);
    if (slot.isSlow) parked.slow.add(slot);
    return true;
  }

  function unpark(slot: Slot): void {
    parked.all.delete(slot);
    parked.slow.delete(slot);
  }

  return {
    async free() {
      while (active.all >= limits.active) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    isWaitedFor: () => waiting.length > 0,
    left: () => limits.active - active.all,
    take(wanted, isSlow) {
      const left = limits.active - active.all;
      const taken = Math.max(0, Math.min(wanted, isSlow ? Math.min(left, limits.active / SLOW_SHARE - active.slow) : left));
      active.all += taken;
      if (isSlow) active.slow += taken;
      return taken;
    },
    giveBack,
    begin(isSlow, cut) {
      const slot: Slot = { isSlow, sinceMs: monotonicMs(), cut };
      let isActive = true;
      const parking = setInterval(() => {
        if (!park(slot)) return;
        clearInterval(parking);
        isActive = false;
        giveBack(1, isSlow);
      }, limits.parkAfterMs);
      return () => {
        clearInterval(parking);
        unpark(slot);
        if (isActive) giveBack(1, isSlow);
        isActive = false;
      };
    },
    active: () => active.all,
    parked: () => parked.all.size,
  };
}

/** Endpoint queues that wait for a slot of their tenant. Best-effort: the search for due work finds lost entries. */
export interface TenantQueue {
  wait(tenantId: string, endpointId: string): void;
  isWaitedFor(tenantId: string): boolean;
  next(tenantId: string): string | undefined;
}

export function createTenantQueue(): TenantQueue {
  const waiting = new Map<string, Set<string>>();
  return {
    wait(tenantId, endpointId) {
      const queues = waiting.get(tenantId) ?? new Set();
      waiting.set(tenantId, queues.add(endpointId));
    },
    isWaitedFor: (tenantId) => waiting.has(tenantId),
    next(tenantId) {
      const queues = waiting.get(tenantId);
      const [first] = queues ?? [];
      if (queues === undefined || first === undefined) return undefined;
      queues.delete(first);
      if (queues.size === 0) waiting.delete(tenantId);
      return first;
    },
  };
}
