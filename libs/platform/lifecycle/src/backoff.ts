export interface BackoffOptions {
  /** Shortest delay, milliseconds. */
  readonly minMs: number;
  /** Longest delay, milliseconds. */
  readonly maxMs: number;
  /** Uniform in [0, 1); injected by tests. */
  readonly random?: () => number;
}

/**
 * Delay before try `attempt` + 1, milliseconds: uniform between `minMs` and `minMs` × 2^attempt, at most `maxMs`.
 * `attempt` counts failures before this one, from 0.
 */
export function backoffMs(attempt: number, options: BackoffOptions): number {
  const ceiling = Math.min(options.maxMs, options.minMs * 2 ** Math.min(attempt + 1, 30));
  const random = options.random ?? Math.random;
  return Math.round(options.minMs + random() * Math.max(0, ceiling - options.minMs));
}

/** Waits; rejects with the signal's reason when it aborts first. */
export function delay(durationMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, durationMs);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
