import { StoreError } from '@market-state/archive';
import { deadlineExceeded, unavailable } from '@market-state/errors';
import { isTransientDatabaseError } from '@market-state/postgres';

const QUERY_CANCELLED = '57014';

/** Maps read failures: UNAVAILABLE if the database or archive is unreachable, DEADLINE_EXCEEDED on a timeout. */
function storeFailure(error: unknown): unknown {
  if ((error as { code?: unknown } | undefined)?.code === QUERY_CANCELLED) {
    return deadlineExceeded('upstream_deadline', 'Reading the stored rows took too long.', { cause: error });
  }
  if (error instanceof StoreError) {
    return unavailable('upstream_unavailable', 'The archived rows are temporarily unavailable. Retry in a moment.', { cause: error });
  }
  if (!isTransientDatabaseError(error)) return error;
  return unavailable('upstream_unavailable', 'The stored rows are temporarily unavailable. Retry in a moment.', { cause: error });
}

/** Maps failures as `storeFailure`. */
export async function reading<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw storeFailure(error);
  }
}
