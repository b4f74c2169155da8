import type { account } from '@market-state/contracts';
import { notFound } from '@market-state/errors';
import type { Logger } from '@market-state/logging';

const KEY_ID_PATTERN = /^key_[0-9a-z]{26}$/;

export interface RevokeKeyDeps {
  readonly revoke: (keyId: string, nowMs: number) => Promise<{ tenantId: string } | null>;
  readonly clock: () => number;
  readonly logger: Logger;
}

export function createRevokeKey(deps: RevokeKeyDeps) {
  return async function revokeKeyRpc(request: account.RevokeKeyRequest): Promise<account.RevokeKeyResponse> {
    const revoked = KEY_ID_PATTERN.test(request.keyId) ? await deps.revoke(request.keyId, deps.clock()) : null;
    if (revoked === null) throw notFound('unknown_key', 'There is no such key.');
    deps.logger.info({ key_id: request.keyId, tenant_id: revoked.tenantId }, 'key revoked');
    return {};
  };
}
