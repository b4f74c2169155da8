import type { Logger } from '@market-state/logging';
import type { Request } from 'express';
import { notAvailableYet, Problem, unauthenticated } from '../http/problem';
import type { Operation } from '../openapi/operations';
import type { Grant } from './grant';
import type { KeyDirectory } from './key-directory';

/** Header that carries the API key, lower case. */
export const API_KEY_HEADER = 'x-market-state-api-key';

export interface AuthoriseDeps {
  readonly directory: Pick<KeyDirectory, 'verify'>;
  readonly logger: Logger;
}

/**
 * What the request's credential opens on this route; null where the route needs none. Throws 401, the same whatever is
 * wrong with the credential; 403 when the scope is lacking. There are no browser sessions yet, so a cookie opens nothing.
 */
export async function authorise(deps: AuthoriseDeps, operation: Operation, req: Request): Promise<Grant | null> {
  if (operation.credential === 'none') return null;
  const key = req.headers[API_KEY_HEADER];
  const grant = typeof key === 'string' ? await deps.directory.verify(key) : null;
  if (grant === null) {
    deps.logger.warn({ operation: operation.operationId, key_sent: key !== undefined }, 'credential refused');
    throw unauthenticated();
  }
  refuseBeyondScope(deps, operation, grant);
  return grant;
}

function refuseBeyondScope(deps: AuthoriseDeps, operation: Operation, grant: Grant): void {
  if (!grant.scopes.has(operation.scope)) {
    deps.logger.warn({ operation: operation.operationId, key_id: grant.keyId, scope: operation.scope }, 'scope refused');
    throw new Problem('insufficient_scope', `This route needs a key with the scope ${operation.scope}.`);
  }
  // A sandbox key may see only data at least 600 s old, and no route serves that yet.
  if (grant.sandbox) throw notAvailableYet('Sandbox keys are not served yet.');
}
