import { setFlagsFromString } from 'node:v8';

const CHECK_MS = 30_000;
const BUSY_SHARE_MAX = 0.2;
/** More than a heap grows between two collections. */
const GROWTH_BYTES_MIN = 32 * 1_024 * 1_024;
/** Checks between two reductions, and before the first: a start's work should be over. */
const APART = 10;
const BEFORE_FIRST = 3;
/** V8's memory reducer runs every 8 s. */
const REDUCING_MS = 10_000;

interface MemoryReadings {
  /** Busy share of the event loop since the last call, 0 to 1. */
  busyShare(): number;
  residentBytes(): number;
  reduce(): void;
}

/**
 * Returns a check that reduces memory when the process is idle: the first time after its start, then whenever it has
 * grown by 32 MiB, at most every ten checks.
 */
export function createMemoryCheck({ busyShare, residentBytes, reduce }: MemoryReadings): () => void {
  let checks = APART - BEFORE_FIRST;
  let leastBytes = 0;
  return () => {
    checks += 1;
    const bytes = residentBytes();
    leastBytes = Math.min(leastBytes, bytes);
    if (busyShare() > BUSY_SHARE_MAX || checks <= APART || bytes - leastBytes < GROWTH_BYTES_MIN) return;
    checks = 0;
    leastBytes = bytes;
    reduce();
  };
}

/**
 * V8 keeps the pages that a burst of work has freed: 60 MiB in a process that has filled an hour of history. Its memory
 * reducer would return them by incremental collections, but acts only in a background process or one that is optimized
 * for size, so this one is for a moment. A collection of last resort would block the process for 100 ms.
 */
export function reduceMemory(reducingMs = REDUCING_MS): void {
  setFlagsFromString('--optimize-for-size');
  setTimeout(() => setFlagsFromString('--no-optimize-for-size'), reducingMs).unref();
}

/** Returns memory after bursts of work for as long as the process runs. */
export function returnMemoryWhenIdle(): void {
  let before = performance.eventLoopUtilization();
  const check = createMemoryCheck({
    busyShare() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      return utilization;
    },
    residentBytes: () => process.memoryUsage.rss(),
    reduce: reduceMemory,
  });
  setInterval(check, CHECK_MS).unref();
}
