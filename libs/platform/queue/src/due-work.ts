import { type Closable, repeatUntilClosed } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';

interface DueWorkOptions<Found> {
  /** Returns a bounded number of due rows without a known wake-up. */
  readonly search: () => Promise<readonly Found[]>;
  /** Wakes workers for these rows. */
  readonly notify: (found: readonly Found[]) => Promise<void>;
  /** Interval between searches. */
  readonly everyMs: number;
  readonly logger: Logger;
}

/**
 * Searches the database for due work until closed, starting immediately. It finds work that became due by the clock,
 * and work whose wake-up was lost with Redis or a worker. Every process may search: duplicate wake-ups are harmless.
 */
export function searchDueWork<Found>({ search, notify, everyMs, logger }: DueWorkOptions<Found>): Closable {
  return repeatUntilClosed(
    async () => {
      const found = await search();
      if (found.length > 0) await notify(found);
    },
    { intervalMs: everyMs, onError: (error) => logger.warn({ err: error }, 'the search for due work failed; will retry') },
  );
}
