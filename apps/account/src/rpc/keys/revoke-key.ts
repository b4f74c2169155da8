import type { account } from '@market-state/contracts';
import type { Logger } from '@market-state/logging';
import { optionalIdFaults, refuseFaults } from '@market-state/request-checks';
import type { Queryable } from '@market-state/postgres';
import { isKeyId, unknownKey } from './key-fields';
import * as store from '../../store/keys';

export interface RevokeKeyDeps {
  readonly pool: Queryable;
  readonly clock: () => number;
  readonly logger: Logger;
}

export async function revokeKey(deps: RevokeKeyDeps, request: account.RevokeKeyRequest): Promise<account.RevokeKeyResponse> {
  refuseFaults(optionalIdFaults('tenant_id', request.tenantId));
  const tenantId = request.tenantId === '' ? null : request.tenantId;
  const revoked = isKeyId(request.keyId) ? await store.revokeKey(deps.pool, request.keyId, tenantId, deps.clock()) : null;
  if (revoked === null) throw unknownKey();
  deps.logger.info({ key_id: request.keyId, tenant_id: revoked.tenantId }, 'key revoked');
  return {};
}
