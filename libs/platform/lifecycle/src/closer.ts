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
