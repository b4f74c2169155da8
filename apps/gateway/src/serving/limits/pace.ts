import { LRUCache } from 'lru-cache';
import { atMost } from './at-most';
import { type Bucket, type Rate, type TakenTokens, takeFrom, type SharedBuckets } from './buckets';

/** Target lifetime of a share. */
const SHARE_SECONDS = 0.5;
const SHARE_MAX = 10_000;
const CALLERS_MAX = 20_000;

export interface RateStatus {
  readonly admitted: boolean;
  /** Admissible immediately after this call. */
  readonly remaining: number;
  /** 1 or more. */
  readonly growsInS: number;
}

export interface Pace {
  /** Null if the store must be called. */
  admitNow(key: string, rate: Rate): RateStatus | null;
  /** Certain refusal, not counted; null if the call may be admitted. */
  refusedNow(key: string, rate: Rate): RateStatus | null;
  admit(key: string, rate: Rate): Promise<RateStatus>;
}

export interface PaceDeps {
  readonly shared: SharedBuckets | null;
  readonly gatewayCount: number;
  readonly monotonicMs: () => number;
}

/** Prefetched calls; each expires when its slot has refilled. */
interface Share {
  left: number;
  firstSlotEndsMs: number;
}

interface Caller {
  /** Ordered by expiry. */
  readonly shares: Share[];
  /** Free tokens that the store last reported, at `reportedAtMs`. */
  free: number;
  reportedAtMs: number;
  deniedUntilMs: number;
  waiting: ((standing: RateStatus) => void)[];
  asking: boolean;
  readonly own: Bucket;
}

/** Prefetched from a bucket that is far from empty. */
function shareOf({ perSecond }: Rate): number {
  return Math.min(SHARE_MAX, Math.ceil(perSecond * SHARE_SECONDS));
}

function heldOf({ shares }: Caller): number {
  return shares.reduce((total, { left }) => total + left, 0);
}

/** Made or expired calls. */
function spend(share: Share, calls: number, intervalMs: number): void {
  const spent = Math.min(share.left, calls);
  share.left -= spent;
  share.firstSlotEndsMs += spent * intervalMs;
}

function admitted(remaining: number, { perSecond }: Rate, waitMs: number): RateStatus {
  return { admitted: true, remaining, growsInS: Math.ceil(Math.max(waitMs, 1_000 / perSecond) / 1_000) };
}

function denied(waitMs: number): RateStatus {
  return { admitted: false, remaining: 0, growsInS: Math.max(1, Math.ceil(waitMs / 1_000)) };
}

/**
 * Generic cell rate algorithm. The store holds the buckets; a gateway prefetches calls from one that is far from empty.
 * A prefetched call expires once the bucket would have refilled it, so prefetched and free calls together never exceed
 * the burst. While the store is down, each gateway enforces its part in memory.
 */
export function createPace({ shared, gatewayCount, monotonicMs }: PaceDeps): Pace {
  const callers = new LRUCache<string, Caller>(atMost(CALLERS_MAX));

  function callerOf(key: string): Caller {
    const known = callers.get(key);
    if (known !== undefined) return known;
    const made: Caller = { shares: [], free: 0, reportedAtMs: 0, deniedUntilMs: 0, waiting: [], asking: false, own: { fullAtMs: 0 } };
    callers.set(key, made);
    return made;
  }

  function remainingOf(caller: Caller, { perSecond, burst }: Rate, nowMs: number): number {
    const grown = Math.floor(((nowMs - caller.reportedAtMs) / 1_000) * perSecond);
    return Math.min(burst - 1, caller.free + heldOf(caller) + grown);
  }

  function takeAlone({ own }: Caller, { perSecond, burst }: Rate, calls: number): TakenTokens {
    const part = { perSecond: perSecond / gatewayCount, burst: Math.max(1, Math.floor(burst / gatewayCount)) };
    return takeFrom(own, part, monotonicMs(), calls);
  }

  function admitAlone(caller: Caller, rate: Rate): RateStatus {
    const { taken, free, waitMs } = takeAlone(caller, rate, 1);
    return taken === 1 ? admitted(free, rate, waitMs) : denied(waitMs);
  }

  function admitReserved(caller: Caller, rate: Rate): RateStatus | null {
    const nowMs = monotonicMs();
    const intervalMs = 1_000 / rate.perSecond;
    for (let share = caller.shares[0]; share !== undefined; share = caller.shares[0]) {
      if (share.firstSlotEndsMs <= nowMs) spend(share, Math.floor((nowMs - share.firstSlotEndsMs) / intervalMs) + 1, intervalMs);
      if (share.left > 0) {
        spend(share, 1, intervalMs);
        return admitted(remainingOf(caller, rate, nowMs), rate, 0);
      }
      caller.shares.shift();
    }
    return null;
  }

  /** Keeps the rest as a share. */
  function serveRequested(
    caller: Caller,
    rate: Rate,
    requested: Caller['waiting'],
    { taken, free, waitMs, firstSlotMs }: TakenTokens,
    sentMs: number,
  ): void {
    const served = Math.min(taken, requested.length);
    caller.free = free;
    caller.reportedAtMs = sentMs;
    if (taken > served)
      caller.shares.push({ left: taken - served, firstSlotEndsMs: sentMs + firstSlotMs + (served * 1_000) / rate.perSecond });
    if (served < requested.length) caller.deniedUntilMs = sentMs + waitMs;
    requested.forEach((resolve, index) => resolve(index < served ? admitted(free + heldOf(caller), rate, waitMs) : denied(waitMs)));
  }

  function ask(caller: Caller, key: string, rate: Rate, buckets: SharedBuckets): void {
    caller.asking = true;
    const waiting = caller.waiting;
    caller.waiting = [];
    const sentMs = monotonicMs();
    void buckets.take(key, rate, waiting.length, waiting.length + shareOf(rate)).then((answer) => {
      caller.asking = false;
      if (answer === null) for (const resolve of waiting) resolve(admitAlone(caller, rate));
      else serveRequested(caller, rate, waiting, answer, sentMs);
      if (caller.waiting.length > 0) ask(caller, key, rate, buckets);
    });
  }

  function refused(caller: Caller): RateStatus | null {
    const waitMs = caller.deniedUntilMs - monotonicMs();
    return waitMs > 0 && caller.shares.length === 0 ? denied(waitMs) : null;
  }

  return {
    refusedNow(key, rate) {
      const caller = callers.get(key);
      if (caller === undefined) return null;
      if (shared !== null && shared.isThere()) return refused(caller);
      const { free, waitMs } = takeAlone(caller, rate, 0);
      return free > 0 ? null : denied(waitMs);
    },
    admitNow(key, rate) {
      const caller = callerOf(key);
      if (shared === null || !shared.isThere()) return admitAlone(caller, rate);
      if (caller.waiting.length > 0) return null;
      const standing = admitReserved(caller, rate);
      if (standing !== null && !caller.asking && heldOf(caller) < shareOf(rate) / 4 && caller.free > rate.burst / 4)
        ask(caller, key, rate, shared);
      return standing;
    },
    admit(key, rate) {
      const caller = callerOf(key);
      if (shared === null || !shared.isThere()) return Promise.resolve(admitAlone(caller, rate));
      const held = caller.waiting.length > 0 ? null : admitReserved(caller, rate);
      if (held !== null) return Promise.resolve(held);
      const standing = refused(caller);
      if (standing !== null) return Promise.resolve(standing);
      return new Promise((resolve) => {
        caller.waiting.push(resolve);
        if (!caller.asking) ask(caller, key, rate, shared);
      });
    },
  };
}
