import { type Closable, delay } from '@market-state/lifecycle';
import { withRequestContext } from '@market-state/logging';
import type { Pool } from 'pg';
import { readRecordedOrdinals } from '../store/recorded';

/** The recorder commits about ten times a second. */
const LOOK_EVERY_MS = 50;
const FAILED_WAIT_MS = 500;

export interface RecordedWatch extends Closable {
  /** Undefined on timeout or abort. */
  past(symbol: string, ordinal: number, timeoutMs: number, signal: AbortSignal): Promise<number | undefined>;
}

interface Waiter {
  readonly symbol: string;
  readonly ordinal: number;
  settle(recorded: number | undefined): void;
}

/** One shared query while anyone waits. Silent while the database is unavailable. */
export function startRecordedWatch(pool: Pool): RecordedWatch {
  const stop = new AbortController();
  const waiters = new Set<Waiter>();
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    while (waiters.size > 0 && !stop.signal.aborted) {
      const recorded = await readRecordedOrdinals(pool, [...new Set([...waiters].map(({ symbol }) => symbol))]).catch(() => undefined);
      for (const waiter of waiters) {
        const ordinal = recorded?.get(waiter.symbol) ?? 0;
        if (ordinal > waiter.ordinal) waiter.settle(ordinal);
      }
      await delay(recorded === undefined ? FAILED_WAIT_MS : LOOK_EVERY_MS, stop.signal).catch(() => undefined);
    }
    looking = undefined;
  }

  return {
    past(symbol, ordinal, timeoutMs, signal) {
      return new Promise((resolve) => {
        const ending = AbortSignal.any([signal, stop.signal]);
        const onEnd = (): void => waiter.settle(undefined);
        const timer = setTimeout(onEnd, timeoutMs);
        const waiter: Waiter = {
          symbol,
          ordinal,
          settle(recorded) {
            clearTimeout(timer);
            ending.removeEventListener('abort', onEnd);
            waiters.delete(waiter);
            resolve(recorded);
          },
        };
        if (ending.aborted) return waiter.settle(undefined);
        ending.addEventListener('abort', onEnd, { once: true });
        waiters.add(waiter);
        // Own request context: the first waiter may leave before the others.
        looking ??= withRequestContext({ requestId: 'recorded-watch' }, look);
      });
    },
    async close() {
      stop.abort();
      await looking;
    },
  };
}
