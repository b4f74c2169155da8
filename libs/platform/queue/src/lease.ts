import { type Closable, repeatUntilClosed } from '@market-state/lifecycle';

/** Another worker took the lease over, or its work is no longer needed. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';

  constructor() {
    super('the lease was lost');
  }
}

interface LeaseOptions {
  /** Renews or checks the lease; resolves to false if it is lost. Rejections are retried. */
  readonly renew: () => Promise<boolean>;
  /** A fraction of the time after which others may take over. */
  readonly everyMs: number;
  readonly stop?: AbortSignal;
}

export interface Lease extends Closable {
  /** Aborts with `LeaseLostError` if the lease is lost, or with the reason of `stop`. */
  readonly signal: AbortSignal;
}

/**
 * Renews a lease until closed. A lease avoids duplicate work but does not stop late writes: claims number or date their
 * row (`attempt`, `fence`, `claimed_ms`), and every write must match that value in its WHERE.
 */
export function holdLease({ renew, everyMs, stop }: LeaseOptions): Lease {
  const lost = new AbortController();
  const renewing = repeatUntilClosed(
    async () => {
      if (!(await renew())) lost.abort(new LeaseLostError());
    },
    { intervalMs: everyMs, onError: () => undefined },
  );
  return {
    signal: stop === undefined ? lost.signal : AbortSignal.any([lost.signal, stop]),
    close: () => renewing.close(),
  };
}
