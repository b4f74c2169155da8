import type { account } from '@market-state/contracts';
import { failedPrecondition, invalidArgument, type ServiceError } from '@market-state/errors';
import type { Logger } from '@market-state/logging';
import { inTransaction } from '@market-state/postgres';
import { idFaults, laterInstantFaults, nameFaults } from '@market-state/request-checks';
import type { Pool } from 'pg';
import { isActive, type StoredKey } from '../../keys/key';
import { lockTenant } from '../../store/tenants';
import { lockKey, writeKey } from '../../store/keys';
import { credentialFaults, refuseEndedCredential } from './asking-credential';
import { isKeyId, readScopes, scopesFault, unknownKey } from './key-fields';
import { toProtoRecord } from './wire';

export interface UpdateKeyDeps {
  readonly pool: Pool;
  readonly clock: () => number;
  readonly logger: Logger;
}

export async function updateKey(deps: UpdateKeyDeps, request: account.UpdateKeyRequest): Promise<account.UpdateKeyResponse> {
  const nowMs = deps.clock();
  const change = readChange(request, nowMs);
  if (!isKeyId(request.keyId)) throw unknownKey();
  const key = await inTransaction(deps.pool, async (client) => {
    if (!(await lockTenant(client, request.tenantId))) throw unknownKey();
    await refuseEndedCredential(client, request.tenantId, request.credentialDigest, nowMs);
    const stored = await lockKey(client, request.tenantId, request.keyId);
    if (stored === null) throw unknownKey();
    if (!isActive(stored, nowMs)) throw keyEnded();
    const changed: StoredKey = { ...stored, ...change };
    await writeKey(client, changed);
    return changed;
  });
  deps.logger.info({ key_id: key.id, tenant_id: key.tenantId, scopes: key.scopes, expires_ts_ms: key.expiresTsMs }, 'key changed');
  return { key: toProtoRecord(key) };
}

export function keyEnded(): ServiceError {
  return failedPrecondition('key_ended', 'The key has ended.');
}

/** What of the key becomes another. @throws ServiceError INVALID_ARGUMENT with every fault. */
function readChange(request: account.UpdateKeyRequest, nowMs: number): Partial<Pick<StoredKey, 'name' | 'scopes' | 'expiresTsMs'>> {
  const { name, expiresTsMs } = request;
  const scopes = request.scopes.length === 0 ? null : readScopes(request.scopes);
  const faults = [
    ...idFaults('tenant_id', request.tenantId),
    ...(name === undefined ? [] : nameFaults('name', name)),
    ...(scopes === undefined ? [scopesFault()] : []),
    ...credentialFaults(request.credentialDigest),
    ...(expiresTsMs === undefined ? [] : laterInstantFaults('expires_ts_ms', expiresTsMs, nowMs)),
  ];
  if (faults.length > 0 || scopes === undefined) throw invalidArgument(faults);
  return {
    ...(name === undefined ? {} : { name }),
    ...(scopes === null ? {} : { scopes }),
    ...(expiresTsMs === undefined ? {} : { expiresTsMs: expiresTsMs === 0 ? null : expiresTsMs }),
  };
}
