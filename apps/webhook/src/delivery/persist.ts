import { backoffMs, delay } from '@market-state/lifecycle';
import { isTransientDatabaseError } from '@market-state/postgres';

const TRIES = 8;

/** A receipt that is lost costs the receiver a repeat: it is written again while the database is away. */
export async function persist<T>(write: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await write();
    } catch (error) {
      if (tried === TRIES || !isTransientDatabaseError(error)) throw error;
      await delay(backoffMs(tried, { minMs: 50, maxMs: 2_000 }));
    }
  }
}
