import { type Closable, repeatUntilClosed } from '@market-state/lifecycle';

/** Abort reason of a lease that another worker has, or whose work is no longer wanted. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';

  constructor() {
    super('the lease was lost');
  }
}

interface LeaseOptions {
  /** Renews the lease on its row, or only checks it; false when it is lost. May reject: it is tried again. */
  readonly renew: () => Promise<boolean>;
  /** Between two renewals, milliseconds; a fraction of the time after which others may take the row over. */
  readonly everyMs: number;
  /** Ends the work for another reason. */
  readonly stop?: AbortSignal;
}

/** A lease on a row of the database. */
export interface Lease extends Closable {
  /** Aborts with `LeaseLostError` when the lease is lost, or with the reason of `stop`. */
  readonly signal: AbortSignal;
}

/**
 * Renews a lease until it is closed. A lease keeps two workers from doing the same work; it does not keep a late one from writing. That
 * is what the fence is for: a claim numbers or dates its row (`attempt`, `fence`, `claimed_ms`), and each write of that claim has a WHERE
 * with this value. Where the row was claimed again, the write changes nothing.
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
