/** The work's result, or a rejection when its time is up. The work itself continues. */
export function beforeDeadline<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no answer in time')), timeoutMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Resolves when the work is done, or its time is up. Rejects when the work fails before that; a later failure is ignored. */
export async function within(durationMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, durationMs);
  });
  try {
    await Promise.race([work, patience]);
  } finally {
    clearTimeout(timer);
  }
}

const kept = (): void => undefined;

/**
 * Aborts after so many milliseconds, with a `TimeoutError`, as `AbortSignal.timeout` does, also as one of several in `AbortSignal.any`.
 * There Node forgets one that nothing else refers to when memory is next collected, and its time never ends (nodejs/node#57736). One that
 * is listened to is kept.
 */
export function timeLimit(durationMs: number): AbortSignal {
  const signal = AbortSignal.timeout(durationMs);
  signal.addEventListener('abort', kept, { once: true });
  return signal;
}
