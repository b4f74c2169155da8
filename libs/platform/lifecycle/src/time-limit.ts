/** Settles like the work, or rejects after the timeout. The work itself continues. */
export function beforeDeadline<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no answer in time')), timeoutMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * Resolves when the work is done or the time is up. Rejects if the work fails before that; later failures are ignored.
 */
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
 * Like `AbortSignal.timeout`, but also reliable in `AbortSignal.any`, where Node may garbage-collect an unreferenced
 * timeout (nodejs/node#57736). A listener keeps it alive.
 */
export function timeLimit(durationMs: number): AbortSignal {
  const signal = AbortSignal.timeout(durationMs);
  signal.addEventListener('abort', kept, { once: true });
  return signal;
}
