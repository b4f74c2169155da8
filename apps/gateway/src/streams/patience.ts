import type { ServiceError } from '@market-state/errors';
import { backoffMs, delay } from '@market-state/lifecycle';
import { STREAM_LIMITS } from './limits';

/** How long a broken source is tried again. */
export interface Patience {
  /** Something came: the source works. */
  heard(): void;
  /** Waits before the next try; throws the error when a new try would meet it again, or after `upstreamTriesMs` of tries in vain. */
  beforeNextTry(error: ServiceError): Promise<void>;
}

/** Errors that a new try would meet again. */
function isFinal(error: ServiceError): boolean {
  return (
    error.code === 'NOT_FOUND' ||
    error.code === 'INVALID_ARGUMENT' ||
    error.code === 'FAILED_PRECONDITION' ||
    error.code === 'UNIMPLEMENTED'
  );
}

export function createPatience(signal: AbortSignal): Patience {
  let failures = 0;
  let brokenMs = 0;
  return {
    heard() {
      failures = 0;
    },
    async beforeNextTry(error) {
      if (failures === 0) brokenMs = performance.now();
      if (isFinal(error) || performance.now() - brokenMs > STREAM_LIMITS.upstreamTriesMs) throw error;
      await delay(backoffMs(failures, { minMs: 50, maxMs: 2_000 }), signal).catch(() => undefined);
      failures += 1;
    },
  };
}
