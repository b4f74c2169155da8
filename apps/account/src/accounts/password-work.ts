import { resourceExhausted, type ServiceError } from '@market-state/errors';
import { siteOf } from './network';

/**
 * Hashing limits; a hash takes 19 MiB and a core. The rate of unknown callers keeps distributed guessing at a fifth of
 * a core.
 */
export const PASSWORD_WORK = { atOnceMax: 4, waitingMax: 64, waitingPerNetworkMax: 8, unknownBurst: 64, unknownPerSecond: 8 } as const;

/** The last quarter is reserved for known callers. */
export function openSlots(slots: number): number {
  return slots - Math.floor(slots / 4);
}

/** Reserved from a caller's deadline for the transaction and response after the hash. */
const AFTERWARDS_MS = 1_000;

const NEWEST_SHARE = 0.1;

/** Cap on a measured duration: a process suspended for a minute does not hash slower afterwards. */
export const WORK_MS_MAX = 1_000;

export interface PasswordCaller {
  /** True if this address logged in to the account before or its mailbox was verified. */
  readonly isKnown: boolean;
  readonly network: string;
  readonly signal: AbortSignal;
  readonly deadlineMs: number | undefined;
}

export interface PasswordWork {
  /**
   * Runs the work once a slot is free. Callers that disconnect, or whose deadline cannot be met, leave the queue.
   * @throws ServiceError `password_work_full` with `retry_after_s`, before any work
   */
  run<T>(caller: PasswordCaller, work: () => Promise<T>): Promise<T>;
}

interface PasswordWorkOptions {
  readonly atOnceMax: number;
  readonly waitingMax: number;
  readonly waitingPerNetworkMax: number;
  readonly unknownBurst: number;
  readonly unknownPerSecond: number;
  readonly workMs: number;
}

interface Waiting {
  readonly isKnown: boolean;
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
  /** Monotonic time at which the burst of unknown callers is full again. */
  let burstFullAtMs = 0;
  let resuming: NodeJS.Timeout | undefined;

  function slotsFor(isKnown: boolean, slots: number): number {
    return isKnown ? slots : openSlots(slots);
  }

  /** Until the rate admits one more unknown caller after `ahead` others. */
  function rateWaitMs(isKnown: boolean, ahead = 0): number {
    return isKnown ? 0 : Math.max(0, burstFullAtMs - performance.now() - (unknownBurst - 1 - ahead) * intervalMs);
  }

  function waitMsOf(isKnown: boolean): number {
    const known = [...queue].filter((waiting) => waiting.isKnown).length;
    const ahead = isKnown ? known : queue.size;
    return Math.max((ahead * meanMs) / slotsFor(isKnown, atOnceMax), rateWaitMs(isKnown, queue.size - known));
  }

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

  function timeLeftMs(deadlineMs: number | undefined): number {
    return deadlineMs === undefined ? Infinity : deadlineMs - Date.now() - meanMs - AFTERWARDS_MS;
  }

  async function begin(caller: PasswordCaller): Promise<void> {
    const { isKnown, signal, deadlineMs } = caller;
    if (signal.aborted || (deadlineMs ?? Infinity) - Date.now() < AFTERWARDS_MS) throw passwordWorkFull(waitMsOf(isKnown));
    // Skip the estimate if a slot is free: an estimate that is too high would never be corrected.
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

  /** Known callers first, until the rate or slots run out. */
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

/** Reserved from a caller's deadline for a commit and the response. */
const COMMIT_MS = 250;

/**
 * Prevents a commit whose caller has left, or will have left, and therefore sees a failure.
 * @throws ServiceError `password_work_full`
 */
export function refuseWhoHasLeft({ signal, deadlineMs }: Pick<PasswordCaller, 'signal' | 'deadlineMs'>): void {
  if (signal.aborted || (deadlineMs ?? Infinity) - Date.now() < COMMIT_MS) throw passwordWorkFull(0);
}

export function passwordWorkFull(waitMs: number): ServiceError {
  const waitS = Math.max(1, Math.ceil(waitMs / 1_000));
  return resourceExhausted('password_work_full', `Too many passwords are being checked at the moment. Try again in ${waitS} s.`, {
    metadata: { retry_after_s: String(waitS) },
  });
}
