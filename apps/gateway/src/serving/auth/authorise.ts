import type { Logger } from '@market-state/logging';
import type { IncomingMessage } from 'node:http';
import type { AddressReader } from '../http/client-address';
import { Problem, unauthenticated } from '../errors/problem';
import type { Operation } from '../openapi/operations';
import { credentialOf } from './credential';
import type { CredentialDirectory } from './credential-directory';
import type { Grant } from './grant';

export { API_KEY_HEADER } from './credential';

export interface AuthoriseDeps {
  readonly directory: Pick<CredentialDirectory, 'verify'>;
  readonly logger: Logger;
  readonly addressOf: AddressReader;
}

/**
 * What the request's credential opens on this route; null where the route needs none. Throws 401, the same whatever is
 * wrong with the credential; 403 when the scope is lacking; 429 and 503 as look-ups of credentials are limited.
 */
export async function authorise(
  { directory, logger, addressOf }: AuthoriseDeps,
  operation: Operation,
  req: Pick<IncomingMessage, 'headers' | 'socket'>,
): Promise<Grant | null> {
  if (operation.credential === 'none') return null;
  const credential = credentialOf(req.headers, operation);
  const takes = credential !== null && (credential.kind === 'key' || operation.credential === 'key_or_session');
  const grant = takes ? await directory.verify(credential, addressOf(req)) : null;
  if (grant === null) {
    logger.warn({ operation: operation.operationId, credential: credential?.kind ?? 'none' }, 'credential refused');
    throw unauthenticated();
  }
  if (!grant.scopes.has(operation.scope)) {
    logger.warn({ operation: operation.operationId, key_id: grant.keyId, scope: operation.scope }, 'scope refused');
    throw new Problem('insufficient_scope', `This route needs a key with the scope ${operation.scope}.`);
  }
  return grant;
}
