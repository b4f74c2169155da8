import type { account } from '@market-state/contracts';
import type { Logger } from '@market-state/logging';
import type { Queryable } from '../../store/queryable';
import { revokeKey } from '../../store/write-keys';
import { optionalIdFaults, refuseFaults } from '../fields';
import { isKeyId, unknownKey } from './key-fields';

export interface RevokeKeyDeps {
  readonly pool: Queryable;
  readonly clock: () => number;
  readonly logger: Logger;
}

export function createRevokeKey(deps: RevokeKeyDeps) {
  return async function revokeKeyRpc(request: account.RevokeKeyRequest): Promise<account.RevokeKeyResponse> {
    refuseFaults(optionalIdFaults('tenant_id', request.tenantId));
    const tenantId = request.tenantId === '' ? null : request.tenantId;
    const revoked = isKeyId(request.keyId) ? await revokeKey(deps.pool, request.keyId, tenantId, deps.clock()) : null;
    if (revoked === null) throw unknownKey();
    deps.logger.info({ key_id: request.keyId, tenant_id: revoked.tenantId }, 'key revoked');
    return {};
  };
}
