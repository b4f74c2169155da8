import { setFlagsFromString } from 'node:v8';

const CHECK_MS = 30_000;
const BUSY_SHARE_MAX = 0.2;
/** More than a heap grows between two collections. */
const GROWTH_BYTES_MIN = 32 * 1_024 * 1_024;
/** Checks between two requests, and before the first, when a start's work is over. */
const APART = 10;
const BEFORE_FIRST = 3;
/** V8 acts on a request within 8 s. */
const REQUESTED_MS = 10_000;

interface MemoryReadings {
  /** Busy share of the event loop since the last call, 0 to 1. */
  busyShare(): number;
  residentBytes(): number;
  request(): void;
}

/**
 * A check that requests memory back once the process is calm after its start, and then when it has grown by 32 MiB,
 * at most every ten checks.
 */
export function createMemoryCheck({ busyShare, residentBytes, request }: MemoryReadings): () => void {
  let checks = APART - BEFORE_FIRST;
  let leastBytes = 0;
  return () => {
    checks += 1;
    const bytes = residentBytes();
    leastBytes = Math.min(leastBytes, bytes);
    if (busyShare() > BUSY_SHARE_MAX || checks <= APART || bytes - leastBytes < GROWTH_BYTES_MIN) return;
    checks = 0;
    leastBytes = bytes;
    request();
  };
}

/**
 * V8 keeps pages that a burst of work has freed, up to 60 MiB in a process that has filled an hour of history. It
 * returns them in collections that reduce memory, which are incremental, but starts those only in a process that is idle
 * or to be optimized for size: for a moment, this one is. A collection of last resort would stop it for 100 ms.
 */
export function requestMemory(requestedMs = REQUESTED_MS): void {
  setFlagsFromString('--optimize-for-size');
  setTimeout(() => setFlagsFromString('--no-optimize-for-size'), requestedMs).unref();
}

/** Returns memory after bursts of work for as long as the process runs. */
export function returnMemoryWhenCalm(): void {
  let before = performance.eventLoopUtilization();
  const check = createMemoryCheck({
    busyShare() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      return utilization;
    },
    residentBytes: () => process.memoryUsage.rss(),
    request: requestMemory,
  });
  setInterval(check, CHECK_MS).unref();
}
