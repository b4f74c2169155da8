import { StoreError } from '@market-state/archive';
import { deadlineExceeded, unavailable } from '@market-state/errors';
import { isTransientDatabaseError } from '@market-state/postgres';

/** SQLSTATE of a statement that was cut off at its time limit. */
const QUERY_CANCELLED = '57014';

/** What a read of the rows rejects with: UNAVAILABLE while the database or the archive is away, DEADLINE_EXCEEDED when it took too long. */
function storeFailure(error: unknown): unknown {
  if ((error as { code?: unknown } | undefined)?.code === QUERY_CANCELLED) {
    return deadlineExceeded('upstream_deadline', 'The stored rows took too long to read.', { cause: error });
  }
  if (error instanceof StoreError) {
    return unavailable('upstream_unavailable', 'The archived rows cannot be read now; try again in a moment.', { cause: error });
  }
  if (!isTransientDatabaseError(error)) return error;
  return unavailable('upstream_unavailable', 'The stored rows cannot be reached now; try again in a moment.', { cause: error });
}

/** Runs a read of the rows; its failure is told as `storeFailure` says. */
export async function reading<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw storeFailure(error);
  }
}
