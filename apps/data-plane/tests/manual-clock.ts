import type { Clock } from '../src/feed/clock';

interface Waiter {
  readonly momentMs: number;
  resolve(): void;
}

/** Advances only on command. */
export interface ManualClock extends Clock {
  /** Wakes all due waiters. */
  advance(byMs: number): void;
  /** Resolves once this many are waiting; returns the shortest remaining wait. */
  untilWaiting(waiterTotal: number): Promise<number>;
}

export function createManualClock(startMs: number): ManualClock {
  let nowMs = startMs;
  const waiters = new Set<Waiter>();
  const watchers = new Set<() => void>();

  return {
    nowMs: () => nowMs,
    waitUntil(momentMs, signal) {
      return new Promise((resolve, reject) => {
        if (momentMs <= nowMs) return resolve();
        const onAbort = (): void => {
          waiters.delete(waiter);
          reject(signal.reason as Error);
        };
        const waiter: Waiter = {
          momentMs,
          resolve() {
            signal.removeEventListener('abort', onAbort);
            resolve();
          },
        };
        signal.addEventListener('abort', onAbort);
        waiters.add(waiter);
        watchers.forEach((look) => look());
      });
    },
    advance(byMs) {
      nowMs += byMs;
      for (const waiter of [...waiters]) {
        if (waiter.momentMs > nowMs) continue;
        waiters.delete(waiter);
        waiter.resolve();
      }
    },
    untilWaiting(waiterTotal) {
      return new Promise((resolve) => {
        const look = (): void => {
          if (waiters.size < waiterTotal) return;
          watchers.delete(look);
          resolve(Math.min(...[...waiters].map(({ momentMs }) => momentMs)) - nowMs);
        };
        watchers.add(look);
        look();
      });
    },
  };
}
