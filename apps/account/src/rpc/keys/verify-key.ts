import type { account } from '@market-state/contracts';
import { invalidArgument } from '@market-state/errors';
import type { Logger } from '@market-state/logging';
import type { LastUsed } from '../../keys/last-used';
import { verifyKey, type VerifyDeps } from '../../keys/verify-key';
import { toProtoGrant } from './wire';

const DIGEST_SIZE_BYTES = 32;

export interface VerifyKeyDeps {
  readonly verify: VerifyDeps;
  readonly lastUsed: LastUsed;
  readonly logger: Logger;
}

export function createVerifyKey(deps: VerifyKeyDeps) {
  return async function verifyKeyRpc(request: account.VerifyKeyRequest): Promise<account.VerifyKeyResponse> {
    if (request.keyDigest.length !== DIGEST_SIZE_BYTES) {
      throw invalidArgument([{ field: 'key_digest', message: 'must be 32 bytes', type: 'wrong_length' }]);
    }
    const key = await verifyKey(deps.verify, request.keyDigest);
    if (key === null) {
      deps.logger.info('key refused');
      return {};
    }
    deps.logger.info({ key_id: key.id, tenant_id: key.tenantId }, 'key accepted');
    deps.lastUsed.touch(key.id);
    return { grant: toProtoGrant(key) };
  };
}
