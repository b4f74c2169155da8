import { unavailable } from '@market-state/errors';
import { isTransientDatabaseError } from '@market-state/postgres';

/** What a handler threw; a failure of the database that passes by itself is UNAVAILABLE. */
export function orUnavailable(thrown: unknown): unknown {
  if (!isTransientDatabaseError(thrown)) return thrown;
  return unavailable('upstream_unavailable', 'The webhook database does not answer.', { cause: thrown });
}
