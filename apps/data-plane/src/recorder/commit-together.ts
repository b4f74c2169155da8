import { runTogether } from '@market-state/lifecycle';
import { isTransientDatabaseError } from '@market-state/postgres';
import { type CommitDeps, type Committed, type SymbolBatch, writeBatch, writeTogether } from './commit-batch';

/** Commits a symbol's batch with those of other symbols. Rejects if it is not written. */
export type CommitTogether = (batch: SymbolBatch) => Promise<Committed>;

/**
 * Many quiet symbols share a transaction. A batch that cannot be written does not hold up the others: each is then
 * written alone.
 */
export function createCommitTogether(deps: CommitDeps): CommitTogether {
  return runTogether(async (batches) => {
    try {
      return await writeTogether(deps, batches);
    } catch (error) {
      if (isTransientDatabaseError(error)) throw error;
      const alone: Promise<Committed>[] = [];
      for (const { symbol, batch, place } of batches) {
        const { committed } = writeBatch(deps, symbol, batch, Promise.resolve(place), Promise.resolve());
        alone.push(committed);
        await committed.catch(() => undefined);
      }
      return alone;
    }
  });
}
