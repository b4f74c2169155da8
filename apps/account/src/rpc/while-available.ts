import { unavailable } from '@market-state/errors';
import { isTransientDatabaseError } from '@market-state/postgres';

/** The same handler, whose failures of the database that pass by themselves are UNAVAILABLE. */
export function whileAvailable<Request, Response>(handler: (request: Request) => Promise<Response>): (request: Request) => Promise<Response> {
  return (request) =>
    handler(request).catch((error: unknown) => {
      throw isTransientDatabaseError(error) ? unavailable('upstream_unavailable', 'The account database does not answer just now.', { cause: error }) : error;
    });
}
