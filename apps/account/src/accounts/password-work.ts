import { resourceExhausted, type ServiceError } from '@market-state/errors';
import { siteOf } from './network';

/**
 * Limits on hashing, which takes 19 MiB and a core: running at once, waiting, and waiting from one network. All unknown callers together
 * have a burst of `unknownBurst` hashes and a rate of `unknownPerSecond`: guesses from many addresses use about a fifth of a core.
 */
export const PASSWORD_WORK = { atOnceMax: 4, waitingMax: 64, waitingPerNetworkMax: 8, unknownBurst: 64, unknownPerSecond: 8 } as const;

/** Slots open to every caller: the last quarter is reserved for known callers. */
export function openSlots(slots: number): number {
  return slots - Math.floor(slots / 4);
}

/** Kept of a caller's time for what follows the hash: its transaction and the way back, milliseconds. */
const AFTERWARDS_MS = 1_000;

/** Share of the newest time in the running mean. */
const NEWEST_SHARE = 0.1;

/** Longest time that a piece of work counts with, milliseconds: a process that was stopped for a minute hashes no slower afterwards. */
export const WORK_MS_MAX = 1_000;

/** Whose password it is. */
export interface PasswordCaller {
  /** True if the account was logged in to from this address before, or its mailbox was proved: slots are reserved for these callers. */
  readonly isKnown: boolean;
  /** IPv4 address, or the /64 of IPv6. */
  readonly network: string;
  /** Aborts when the caller has left. */
  readonly signal: AbortSignal;
  /** When the caller leaves, milliseconds since the epoch; undefined: it waits. */
  readonly deadlineMs: number | undefined;
}

/** Bounds how many passwords are hashed at once. */
export interface PasswordWork {
  /**
   * Runs the work as soon as a slot is free. A caller who disconnects, or whose deadline can no longer be met, leaves the queue and nothing
   * is hashed for it.
   * @throws ServiceError RESOURCE_EXHAUSTED with reason `password_work_full` and `retry_after_s`, before any work
   */
  run<T>(caller: PasswordCaller, work: () => Promise<T>): Promise<T>;
}

interface PasswordWorkOptions {
  readonly atOnceMax: number;
  readonly waitingMax: number;
  readonly waitingPerNetworkMax: number;
  readonly unknownBurst: number;
  readonly unknownPerSecond: number;
  /** Time of one piece of work before any was measured, milliseconds. */
  readonly workMs: number;
}

/** A queued caller. */
interface Waiting {
  readonly isKnown: boolean;
  /** The network by which waiting callers are limited. */
  readonly site: string;
  begin(): void;
}

export function createPasswordWork(options: Partial<PasswordWorkOptions> = {}): PasswordWork {
  const { atOnceMax, waitingMax, waitingPerNetworkMax, unknownBurst, unknownPerSecond, workMs } = {
    ...PASSWORD_WORK,
    workMs: 0,
    ...options,
  };
  const intervalMs = 1_000 / unknownPerSecond;
  const queue = new Set<Waiting>();
  let running = 0;
  let meanMs = workMs;
  /** When the burst of unknown callers is whole again, by the monotonic clock. */
  let burstFullAtMs = 0;
  let resuming: NodeJS.Timeout | undefined;

  function slotsFor(isKnown: boolean, slots: number): number {
    return isKnown ? slots : openSlots(slots);
  }

  /** Milliseconds until the rate lets one more unknown caller start, after `ahead` others; 0 for now, and for known callers. */
  function rateWaitMs(isKnown: boolean, ahead = 0): number {
    return isKnown ? 0 : Math.max(0, burstFullAtMs - performance.now() - (unknownBurst - 1 - ahead) * intervalMs);
  }

  /** Estimated milliseconds until one more caller would start. */
  function waitMsOf(isKnown: boolean): number {
    const known = [...queue].filter((waiting) => waiting.isKnown).length;
    const ahead = isKnown ? known : queue.size;
    return Math.max((ahead * meanMs) / slotsFor(isKnown, atOnceMax), rateWaitMs(isKnown, queue.size - known));
  }

  /** True if slots and rate allow it; the queue is not considered. */
  function mayStart({ isKnown }: Pick<Waiting, 'isKnown'>): boolean {
    return running < slotsFor(isKnown, atOnceMax) && rateWaitMs(isKnown) === 0;
  }

  function countStart({ isKnown }: Pick<Waiting, 'isKnown'>): void {
    running += 1;
    if (!isKnown) burstFullAtMs = Math.max(burstFullAtMs, performance.now()) + intervalMs;
  }

  function mayWait({ isKnown, network, deadlineMs }: PasswordCaller): boolean {
    if (queue.size >= slotsFor(isKnown, waitingMax)) return false;
    const site = siteOf(network);
    if ([...queue].filter((waiting) => waiting.site === site).length >= waitingPerNetworkMax) return false;
    return timeLeftMs(deadlineMs) >= waitMsOf(isKnown) + meanMs / slotsFor(isKnown, atOnceMax);
  }

  /** Time until the work must begin, milliseconds. */
  function timeLeftMs(deadlineMs: number | undefined): number {
    return deadlineMs === undefined ? Infinity : deadlineMs - Date.now() - meanMs - AFTERWARDS_MS;
  }

  async function begin(caller: PasswordCaller): Promise<void> {
    const { isKnown, signal, deadlineMs } = caller;
    if (signal.aborted || (deadlineMs ?? Infinity) - Date.now() < AFTERWARDS_MS) throw passwordWorkFull(waitMsOf(isKnown));
    // With a free slot nothing is estimated: an estimate that is too high would never be corrected.
    if (mayStart(caller) && (isKnown || queue.size === 0)) return countStart(caller);
    if (!mayWait(caller)) throw passwordWorkFull(waitMsOf(isKnown));
    const waiting = waitInQueue(caller);
    startWaiting();
    await waiting;
  }

  function waitInQueue({ isKnown, network, signal, deadlineMs }: PasswordCaller): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        isKnown,
        site: siteOf(network),
        begin() {
          leaveQueue();
          resolve();
        },
      };
      const giveUp = (): void => {
        leaveQueue();
        reject(passwordWorkFull(waitMsOf(isKnown)));
      };
      const timer = deadlineMs === undefined ? undefined : setTimeout(giveUp, timeLeftMs(deadlineMs));
      const leaveQueue = (): void => {
        queue.delete(waiting);
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      queue.add(waiting);
    });
  }

  function nextWaiting(): Waiting | undefined {
    return [...queue].find(({ isKnown }) => isKnown) ?? [...queue][0];
  }

  /** Starts queued callers that may start, known ones first, each kind in order of arrival; continues when the rate allows more. */
  function startWaiting(): void {
    let next = nextWaiting();
    for (; next !== undefined && mayStart(next); next = nextWaiting()) {
      countStart(next);
      next.begin();
    }
    const waitMs = next === undefined ? 0 : rateWaitMs(next.isKnown);
    if (waitMs === 0 || resuming !== undefined) return;
    resuming = setTimeout(() => {
      resuming = undefined;
      startWaiting();
    }, waitMs);
    resuming.unref();
  }

  return {
    async run(caller, work) {
      await begin(caller);
      const startedMs = performance.now();
      try {
        return await work();
      } finally {
        meanMs += (Math.min(performance.now() - startedMs, WORK_MS_MAX) - meanMs) * NEWEST_SHARE;
        running -= 1;
        startWaiting();
      }
    },
  };
}

/** Kept of a caller's time for a commit and the way back, milliseconds. */
const COMMIT_MS = 250;

/**
 * Refuses to commit for a caller who has left, or who will have before the answer is there: it was told, or will be, that nothing was done.
 * @throws ServiceError RESOURCE_EXHAUSTED with reason `password_work_full`
 */
export function refuseWhoHasLeft({ signal, deadlineMs }: Pick<PasswordCaller, 'signal' | 'deadlineMs'>): void {
  if (signal.aborted || (deadlineMs ?? Infinity) - Date.now() < COMMIT_MS) throw passwordWorkFull(0);
}

/** RESOURCE_EXHAUSTED that says when to come again, in whole seconds, at least 1. */
export function passwordWorkFull(waitMs: number): ServiceError {
  const waitS = Math.max(1, Math.ceil(waitMs / 1_000));
  return resourceExhausted('password_work_full', `Too many passwords are being checked. Try again in ${waitS} s.`, {
    metadata: { retry_after_s: String(waitS) },
  });
}
