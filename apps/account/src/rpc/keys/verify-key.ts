import type { account } from '@market-state/contracts';
import { invalidArgument } from '@market-state/errors';
import type { Logger } from '@market-state/logging';
import type { Queryable } from '@market-state/postgres';
import type { LastUsed } from '../../keys/last-used';
import { findKeyByDigest } from '../../store/keys';
import { toProtoGrant } from './wire';
import * as keys from '../../keys/verify-key';

const DIGEST_SIZE_BYTES = 32;

export interface VerifyKeyDeps {
  readonly pool: Queryable;
  readonly clock: () => number;
  readonly lastUsed: LastUsed;
  readonly logger: Logger;
}

export async function verifyKey(deps: VerifyKeyDeps, request: account.VerifyKeyRequest): Promise<account.VerifyKeyResponse> {
  if (request.keyDigest.length !== DIGEST_SIZE_BYTES) {
    throw invalidArgument([{ field: 'key_digest', message: 'must be 32 bytes', type: 'wrong_length' }]);
  }
  const { pool, clock } = deps;
  const key = await keys.verifyKey({ findByDigest: (digest) => findKeyByDigest(pool, digest), clock }, request.keyDigest);
  if (key === null) {
    deps.logger.info('key refused');
    return {};
  }
  deps.logger.info({ key_id: key.id, tenant_id: key.tenantId }, 'key accepted');
  deps.lastUsed.touch(key.id);
  return { grant: toProtoGrant(key) };
}
