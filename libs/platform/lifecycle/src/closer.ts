import { delay } from './waits';

export interface Closable {
  close(): Promise<void>;
}

export interface Closer extends Closable {
  /** Steps run one at a time, last registered first. */
  add(step: string, close: () => void | Promise<void>): void;
  /** Runs every step once, even after failures; rejects with all of them. Later calls return the same promise. */
  close(): Promise<void>;
}

export class CloseError extends AggregateError {
  override readonly name = 'CloseError';
}

/** Register each close right after its open. */
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
    if (failures.length > 0) throw new CloseError(failures, `closing failed: ${failed.join(', ')}`);
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

/** Closing aborts the work's signal and settles like the work. */
export function runUntilClosed(work: (signal: AbortSignal) => Promise<void>): Closable {
  const stop = new AbortController();
  const running = work(stop.signal);
  // `close` reports the failure; this prevents an unhandled rejection before that.
  running.catch(() => undefined);
  return {
    close() {
      stop.abort();
      return running;
    },
  };
}

interface Repetition {
  readonly intervalMs: number;
  /** The next iteration follows regardless. */
  readonly onError: (error: unknown) => void;
}

/** Starts immediately. Closing aborts the running iteration's signal and waits for its end. */
export function repeatUntilClosed(work: (signal: AbortSignal) => Promise<unknown>, { intervalMs, onError }: Repetition): Closable {
  return runUntilClosed(async (signal) => {
    while (!signal.aborted) {
      await work(signal).catch(onError);
      await delay(intervalMs, signal).catch(() => undefined);
    }
  });
}
