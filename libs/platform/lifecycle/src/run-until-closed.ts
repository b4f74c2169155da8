import { delay } from './backoff';
import type { Closable } from './closer';

/**
 * Starts work that runs until its signal aborts. Closing aborts the signal and resolves when the work has ended, or rejects with its
 * error.
 */
export function runUntilClosed(work: (signal: AbortSignal) => Promise<void>): Closable {
  const stop = new AbortController();
  const running = work(stop.signal);
  // Whoever closes it hears of a failure; until then it is no unhandled rejection.
  running.catch(() => undefined);
  return {
    close() {
      stop.abort();
      return running;
    },
  };
}

export interface Repetition {
  /** From the end of one turn to the beginning of the next, milliseconds. */
  readonly intervalMs: number;
  /** Receives the error of a turn; the next turn follows regardless. */
  readonly onError: (error: unknown) => void;
}

/** Repeats the work until closed; the first turn begins at once. Closing aborts the signal of the running turn and waits for its end. */
export function repeatUntilClosed(work: (signal: AbortSignal) => Promise<unknown>, { intervalMs, onError }: Repetition): Closable {
  return runUntilClosed(async (signal) => {
    while (!signal.aborted) {
      await work(signal).catch(onError);
      await delay(intervalMs, signal).catch(() => undefined);
    }
  });
}
