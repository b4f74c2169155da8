/** How long to wait before a crashed process is started again. */
export interface Backoff {
  /**
   * Milliseconds until the next start: 250 after the first crash, doubling to at most 10,000 while it ends as soon as it starts,
   * and 250 again after a run of at least 2,000: it had come up, so nothing is gained by waiting.
   */
  next(ranMs: number): number;
}

const firstMs = 250;
const longestMs = 10_000;
const steadyMs = 2_000;

/** The waiting times of one process. */
export function createBackoff(): Backoff {
  let nextMs = firstMs;
  return {
    next(ranMs) {
      if (ranMs >= steadyMs) nextMs = firstMs;
      const waitMs = nextMs;
      nextMs = Math.min(longestMs, nextMs * 2);
      return waitMs;
    },
  };
}
