import type { Logger } from '@market-state/logging';

interface BackoffOptions {
  readonly minMs: number;
  readonly maxMs: number;
  /** Injected by tests. */
  readonly random?: () => number;
}

/**
 * Delay in milliseconds, uniform between `minMs` and `minMs` × 2^(attempt + 1), capped at `maxMs`. `attempt` counts
 * earlier failures, from 0.
 */
export function backoffMs(attempt: number, options: BackoffOptions): number {
  const ceiling = Math.min(options.maxMs, options.minMs * 2 ** Math.min(attempt + 1, 30));
  const random = options.random ?? Math.random;
  return Math.round(options.minMs + random() * Math.max(0, ceiling - options.minMs));
}

/** Rejects with the signal's reason on abort. */
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

interface WaitForOptions {
  readonly signal?: AbortSignal;
  readonly logger?: Logger;
  /** Default 100. */
  readonly minDelayMs?: number;
  /** Default 2,000. */
  readonly maxDelayMs?: number;
}

/** Probes with backoff, so that a process waits for its stores instead of crash-looping. */
export async function waitFor<T>(dependency: string, probe: () => Promise<T>, options: WaitForOptions = {}): Promise<T> {
  const { signal, logger, minDelayMs = 100, maxDelayMs = 2_000 } = options;
  for (let attempt = 0; ; attempt += 1) {
    signal?.throwIfAborted();
    try {
      return await probe();
    } catch (error) {
      const retryInMs = backoffMs(attempt, { minMs: minDelayMs, maxMs: maxDelayMs });
      logger?.warn({ dependency, attempt, retryInMs, err: error }, 'waiting for a dependency');
      await delay(retryInMs, signal);
    }
  }
}

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
