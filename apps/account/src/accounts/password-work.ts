import { resourceExhausted, type ServiceError } from '@market-state/errors';

/** Hashing a password takes 19 MiB and a processor: so many at once, so many more waiting, and so many of them from one network address. */
export const PASSWORD_WORK = { atOnceMax: 4, waitingMax: 64, waitingPerNetworkMax: 8 } as const;

/** Kept of a caller's time for what follows the hash: its transaction and the way back, milliseconds. */
const AFTERWARDS_MS = 1_000;

/** Share of the newest time in the running mean. */
const NEWEST_SHARE = 0.1;

/** Longest time that a piece of work counts with, milliseconds: a process that was stopped for a minute hashes no slower afterwards. */
export const WORK_MS_MAX = 1_000;

/** Whose password it is. */
export interface PasswordCaller {
  /** Network address, as limits count it. */
  readonly network: string;
  /** Aborts when the caller has left. */
  readonly signal: AbortSignal;
  /** When the caller leaves, milliseconds since the epoch; undefined: it waits. */
  readonly deadlineMs: number | undefined;
}

/** Bounds how many passwords are hashed at once. */
export interface PasswordWork {
  /**
   * Does the work when its turn comes. Who has left by then, or could not get the answer in time, leaves the queue and nothing is worked
   * on.
   * @throws ServiceError RESOURCE_EXHAUSTED with reason `password_work_full` and `retry_after_s`, before any work
   */
  run<T>(caller: PasswordCaller, work: () => Promise<T>): Promise<T>;
}

export interface PasswordWorkOptions {
  readonly atOnceMax: number;
  readonly waitingMax: number;
  readonly waitingPerNetworkMax: number;
  /** Time of one piece of work before any was measured, milliseconds. */
  readonly workMs: number;
}

/** One that waits for its turn. */
interface Waiting {
  readonly network: string;
  begin(): void;
}

export function createPasswordWork(options: Partial<PasswordWorkOptions> = {}): PasswordWork {
  const { atOnceMax, waitingMax, waitingPerNetworkMax, workMs } = { ...PASSWORD_WORK, workMs: 0, ...options };
  const queue = new Set<Waiting>();
  let running = 0;
  let meanMs = workMs;

  function refusal(): ServiceError {
    return passwordWorkFull((queue.size * meanMs) / atOnceMax);
  }

  function mayWait({ network, deadlineMs }: PasswordCaller): boolean {
    if (queue.size >= waitingMax) return false;
    let ofNetwork = 0;
    for (const waiting of queue) if (waiting.network === network) ofNetwork += 1;
    if (ofNetwork >= waitingPerNetworkMax) return false;
    return timeLeftMs(deadlineMs) >= ((queue.size + 1) * meanMs) / atOnceMax;
  }

  /** Time until the work must begin, milliseconds. */
  function timeLeftMs(deadlineMs: number | undefined): number {
    return deadlineMs === undefined ? Infinity : deadlineMs - Date.now() - meanMs - AFTERWARDS_MS;
  }

  async function turn(caller: PasswordCaller): Promise<void> {
    if (caller.signal.aborted || (caller.deadlineMs ?? Infinity) - Date.now() < AFTERWARDS_MS) throw refusal();
    // Where a place is free nothing is estimated: an estimate that is too high would never be corrected.
    if (running < atOnceMax) {
      running += 1;
      return;
    }
    if (!mayWait(caller)) throw refusal();
    await waitInQueue(caller);
  }

  function waitInQueue({ network, signal, deadlineMs }: PasswordCaller): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        network,
        begin() {
          leaveQueue();
          resolve();
        },
      };
      const giveUp = (): void => {
        leaveQueue();
        reject(refusal());
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

  /** Hands the turn to the one that waits longest. */
  function finish(): void {
    const [next] = queue;
    if (next === undefined) running -= 1;
    else next.begin();
  }

  return {
    async run(caller, work) {
      await turn(caller);
      const startedMs = performance.now();
      try {
        return await work();
      } finally {
        meanMs += (Math.min(performance.now() - startedMs, WORK_MS_MAX) - meanMs) * NEWEST_SHARE;
        finish();
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
export function refuseWhoHasLeft({ signal, deadlineMs }: PasswordCaller): void {
  if (signal.aborted || (deadlineMs ?? Infinity) - Date.now() < COMMIT_MS) throw passwordWorkFull(0);
}

/** RESOURCE_EXHAUSTED that says when to come again, in whole seconds, at least 1. */
export function passwordWorkFull(waitMs: number): ServiceError {
  const waitS = Math.max(1, Math.ceil(waitMs / 1_000));
  return resourceExhausted('password_work_full', `Too many passwords are being checked. Try again in ${waitS} s.`, {
    metadata: { retry_after_s: String(waitS) },
  });
}
