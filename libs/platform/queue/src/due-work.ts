import { type Closable, repeatUntilClosed } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';

interface DueWorkOptions<Found> {
  /** Reads due rows that no worker is known to be woken for, a bounded number. */
  readonly search: () => Promise<readonly Found[]>;
  /** Wakes workers for them. */
  readonly notify: (found: readonly Found[]) => Promise<void>;
  /** Between two searches, milliseconds. */
  readonly everyMs: number;
  readonly logger: Logger;
}

/**
 * Searches the database for due work again and again, the first time at once, until it is closed. It finds what came due by the clock,
 * and what lost its wake-up: because Redis was away or flushed, or because a worker died. Every process may search: waking twice is
 * harmless.
 */
export function searchDueWork<Found>({ search, notify, everyMs, logger }: DueWorkOptions<Found>): Closable {
  return repeatUntilClosed(
    async () => {
      const found = await search();
      if (found.length > 0) await notify(found);
    },
    { intervalMs: everyMs, onError: (error) => logger.warn({ err: error }, 'the search for due work failed; it is tried again') },
  );
}
