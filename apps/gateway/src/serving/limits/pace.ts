import { LRUCache } from 'lru-cache';
import { atMost } from './at-most';
import { type Bucket, type Rate, type Taken, takeFrom, type SharedBuckets } from './buckets';

/** A share taken from the store is to last about so long, seconds. */
const SHARE_SECONDS = 0.5;
const SHARE_MAX = 10_000;
/** Callers that are remembered at once. */
const CALLERS_MAX = 20_000;

/** How a call stands to its limit. */
export interface Standing {
  readonly admitted: boolean;
  /** Calls that could be made at once after this one. */
  readonly remaining: number;
  /** Whole seconds, 1 or more, until one more call could be made than `remaining`. */
  readonly growsInS: number;
}

/** Lets in calls at the rate of each caller. */
export interface Pace {
  /** Counts a call at once, from the share held here; null when the store must be asked. */
  admitNow(key: string, rate: Rate): Standing | null;
  /** How a call stands that is sure to be refused; null when it may be let in. Counts nothing. */
  refusedNow(key: string, rate: Rate): Standing | null;
  /** Counts a call. */
  admit(key: string, rate: Rate): Promise<Standing>;
}

export interface PaceDeps {
  /** Buckets of all gateways; null where each counts for itself. */
  readonly shared: SharedBuckets | null;
  /** Gateways that share a limit while the store is away. */
  readonly gatewayCount: number;
  readonly monotonicMs: () => number;
}

/**
 * Calls let in by the store and not made yet; each ends when its slot of the bucket has grown back, one interval after the one before it.
 */
interface Share {
  left: number;
  firstSlotEndsMs: number;
}

interface Caller {
  /** In the order in which their slots end. */
  readonly shares: Share[];
  /** As the store last told, at `toldMs`. */
  free: number;
  toldMs: number;
  /** Nothing is let in before. */
  deniedUntilMs: number;
  waiting: ((standing: Standing) => void)[];
  asking: boolean;
  readonly own: Bucket;
}

/** Calls that are taken ahead from a bucket that is far from empty. */
function shareOf({ perSecond }: Rate): number {
  return Math.min(SHARE_MAX, Math.ceil(perSecond * SHARE_SECONDS));
}

function heldOf({ shares }: Caller): number {
  return shares.reduce((total, { left }) => total + left, 0);
}

/** Calls of a share that were made, or whose slots have grown back. */
function spend(share: Share, calls: number, intervalMs: number): void {
  const spent = Math.min(share.left, calls);
  share.left -= spent;
  share.firstSlotEndsMs += spent * intervalMs;
}

function admitted(remaining: number, { perSecond }: Rate, waitMs: number): Standing {
  return { admitted: true, remaining, growsInS: Math.ceil(Math.max(waitMs, 1_000 / perSecond) / 1_000) };
}

function denied(waitMs: number): Standing {
  return { admitted: false, remaining: 0, growsInS: Math.max(1, Math.ceil(waitMs / 1_000)) };
}

/**
 * Limits by the generic cell rate algorithm. The store holds the buckets; a gateway takes several calls at once from one
 * that is far from empty and lets them in without asking. A call held here counts as made, and only until the bucket
 * would have grown back by it, so that held and free together never pass the burst. While the store is away each
 * gateway counts its part of the limit in memory.
 */
export function createPace({ shared, gatewayCount, monotonicMs }: PaceDeps): Pace {
  const callers = new LRUCache<string, Caller>(atMost(CALLERS_MAX));

  function callerOf(key: string): Caller {
    const known = callers.get(key);
    if (known !== undefined) return known;
    const made: Caller = { shares: [], free: 0, toldMs: 0, deniedUntilMs: 0, waiting: [], asking: false, own: { fullAtMs: 0 } };
    callers.set(key, made);
    return made;
  }

  function remainingOf(caller: Caller, { perSecond, burst }: Rate, nowMs: number): number {
    const grown = Math.floor(((nowMs - caller.toldMs) / 1_000) * perSecond);
    return Math.min(burst - 1, caller.free + heldOf(caller) + grown);
  }

  function takeAlone({ own }: Caller, { perSecond, burst }: Rate, calls: number): Taken {
    const part = { perSecond: perSecond / gatewayCount, burst: Math.max(1, Math.floor(burst / gatewayCount)) };
    return takeFrom(own, part, monotonicMs(), calls);
  }

  function admitAlone(caller: Caller, rate: Rate): Standing {
    const { taken, free, waitMs } = takeAlone(caller, rate, 1);
    return taken === 1 ? admitted(free, rate, waitMs) : denied(waitMs);
  }

  /** Lets in one of the calls that are held; those whose slots have grown back are no longer. */
  function admitHeld(caller: Caller, rate: Rate): Standing | null {
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

  /** Lets in those that asked, as many as the store did, and keeps what it gave beyond. */
  function serveAsked(
    caller: Caller,
    rate: Rate,
    asked: Caller['waiting'],
    { taken, free, waitMs, firstSlotMs }: Taken,
    sentMs: number,
  ): void {
    const served = Math.min(taken, asked.length);
    caller.free = free;
    caller.toldMs = sentMs;
    if (taken > served)
      caller.shares.push({ left: taken - served, firstSlotEndsMs: sentMs + firstSlotMs + (served * 1_000) / rate.perSecond });
    if (served < asked.length) caller.deniedUntilMs = sentMs + waitMs;
    asked.forEach((resolve, index) => resolve(index < served ? admitted(free + heldOf(caller), rate, waitMs) : denied(waitMs)));
  }

  /** Takes calls for those that wait, and a share for those to come. */
  function ask(caller: Caller, key: string, rate: Rate, buckets: SharedBuckets): void {
    caller.asking = true;
    const asked = caller.waiting;
    caller.waiting = [];
    const sentMs = monotonicMs();
    void buckets.take(key, rate, asked.length, asked.length + shareOf(rate)).then((answer) => {
      caller.asking = false;
      if (answer === null) for (const resolve of asked) resolve(admitAlone(caller, rate));
      else serveAsked(caller, rate, asked, answer, sentMs);
      if (caller.waiting.length > 0) ask(caller, key, rate, buckets);
    });
  }

  /** Nothing is held, and nothing is let in yet. */
  function refused(caller: Caller): Standing | null {
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
      const standing = admitHeld(caller, rate);
      if (standing !== null && !caller.asking && heldOf(caller) < shareOf(rate) / 4 && caller.free > rate.burst / 4)
        ask(caller, key, rate, shared);
      return standing;
    },
    admit(key, rate) {
      const caller = callerOf(key);
      if (shared === null || !shared.isThere()) return Promise.resolve(admitAlone(caller, rate));
      const held = caller.waiting.length > 0 ? null : admitHeld(caller, rate);
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
