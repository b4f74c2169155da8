import type { Logger } from '@market-state/logging';
import { backoffMs, delay } from './backoff';

export interface WaitForOptions {
  /** Ends the wait; the promise then rejects with its reason. */
  readonly signal?: AbortSignal;
  readonly logger?: Logger;
  /** Default 100. */
  readonly minDelayMs?: number;
  /** Default 2,000. */
  readonly maxDelayMs?: number;
}

/**
 * Calls `probe` until it resolves, and returns its value. It waits longer after each failure (capped, with jitter), so that a process
 * waits for its stores at start instead of crashing in a loop.
 */
export async function waitFor<T>(dependency: string, probe: () => Promise<T>, options: WaitForOptions = {}): Promise<T> {
  const { signal, logger, minDelayMs = 100, maxDelayMs = 2_000 } = options;
  for (let attempt = 0; ; attempt += 1) {
    signal?.throwIfAborted();
    try {
      return await probe();
    } catch (error) {
      const retryInMs = backoffMs(attempt, { minMs: minDelayMs, maxMs: maxDelayMs });
      logger?.warn({ dependency, attempt, retryInMs, err: error }, 'dependency not there yet');
      await delay(retryInMs, signal);
    }
  }
}
