import { type Closable, repeatUntilClosed } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';

interface DueWorkOptions<Found> {
  /** Returns a bounded number of due rows without a known wake-up. */
  readonly search: () => Promise<readonly Found[]>;
  readonly notify: (found: readonly Found[]) => Promise<void>;
  readonly everyMs: number;
  readonly logger: Logger;
}

/**
 * Searches the database until closed for work that became due or whose wake-up was lost. Every process may search:
 * duplicate wake-ups are harmless.
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
