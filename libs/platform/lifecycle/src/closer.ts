import { delay } from './backoff';

/** Something to be closed when the process or test ends. */
export interface Closable {
  close(): Promise<void>;
}

/** A stack of closing steps. */
export interface Closer extends Closable {
  /** Registers a step; steps run one after the other, last registered first. */
  add(step: string, close: () => void | Promise<void>): void;
  /** Runs every step once, even after one failed; rejects with all failures. Later calls return the same promise. */
  close(): Promise<void>;
}

/** A failed closing step. */
export class CloseError extends AggregateError {
  override readonly name = 'CloseError';
}

/** A closer that runs its steps in reverse: register each close on the line after its open. */
export function createCloser(): Closer {
  const steps: { step: string; close: () => void | Promise<void> }[] = [];
  let closing: Promise<void> | undefined;

  async function closeAll(): Promise<void> {
    const failures: unknown[] = [];
    const failed: string[] = [];
    for (let entry = steps.pop(); entry !== undefined; entry = steps.pop()) {
      try {
        await entry.close();
      } catch (error) {
        failed.push(entry.step);
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new CloseError(failures, `could not close: ${failed.join(', ')}`);
  }

  return {
    add(step, close) {
      steps.push({ step, close });
    },
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}

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

interface Repetition {
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
