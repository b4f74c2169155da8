import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const CHECK_MS = 10_000;
const BUSY_SHARE_MAX = 0.05;
/** More than the young generation, which grows again after each collection. */
const GROWTH_BYTES_MIN = 32 * 1_024 * 1_024;

interface MemoryReadings {
  /** Busy share of the event loop since the last call, 0 to 1. */
  busyShare(): number;
  residentBytes(): number;
  collect(): void;
}

/**
 * A check that collects all garbage once the process is calm, at the first time and then whenever it has grown by 32
 * MiB. V8 keeps the pages that a burst of work has freed: neither its memory reducer nor an ordinary collection returns
 * them, only one of last resort, which takes some 100 ms.
 */
export function createMemoryCheck({ busyShare, residentBytes, collect }: MemoryReadings): () => void {
  let afterBytes = 0;
  return () => {
    if (busyShare() > BUSY_SHARE_MAX || residentBytes() - afterBytes < GROWTH_BYTES_MIN) return;
    collect();
    afterBytes = residentBytes();
  };
}

/** Collects garbage until nothing more is freed, and returns free pages to the system. */
export function collectAllGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
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
    collect: collectAllGarbage,
  });
  setInterval(check, CHECK_MS).unref();
}
