import { unavailable } from '@market-state/errors';
import { isTransientDatabaseError } from '@market-state/postgres';

/** The same handler, whose failures of the database that pass by themselves are UNAVAILABLE. */
export function whileAvailable<Args extends readonly unknown[], Response>(
  handler: (...args: Args) => Promise<Response>,
): (...args: Args) => Promise<Response> {
  return (...args) =>
    handler(...args).catch((error: unknown) => {
      throw isTransientDatabaseError(error)
        ? unavailable('upstream_unavailable', 'The account database does not answer.', { cause: error })
        : error;
    });
}
