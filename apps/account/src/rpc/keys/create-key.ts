import type { account } from '@market-state/contracts';
import { failedPrecondition, type Fault, invalidArgument, notFound, ServiceError } from '@market-state/errors';
import { inTransaction } from '@market-state/postgres';
import type { PoolClient } from 'pg';
import { holdOperation } from '../../idempotency/hold-operation';
import { isActive } from '../../keys/key';
import { type KeyOrder, type MadeKey, makeKey, renewSecret } from '../../keys/make-key';
import { isCredentialOf } from '../../store/read-keys';
import { holdKeyOfOperation, holdTenant } from '../../store/write-keys';
import { idFaults, nameFaults, operationFaults, readOperation } from '../fields';
import type { KeyMakingDeps } from './issue-key';
import { readOrder } from './key-fields';
import { keyEnded } from './update-key';
import { toProtoRecord } from './wire';

const DIGEST_SIZE_BYTES = 32;

export function createCreateKey(deps: KeyMakingDeps) {
  return async function createKeyRpc(request: account.CreateKeyRequest): Promise<account.CreateKeyResponse> {
    const { tenantId, name, credentialDigest } = request;
    const { faults: orderFaults, order } = readOrder(request, deps.clock());
    const faults: Fault[] = [...idFaults('tenant_id', tenantId), ...nameFaults('name', name), ...orderFaults, ...operationFaults(request), ...credentialFaults(credentialDigest)];
    if (faults.length > 0 || order === undefined) throw invalidArgument(faults);
    const operation = readOperation(request);
    const made = await inTransaction(deps.pool, async (client) => {
      if (operation !== null) await holdOperation(client, tenantId, operation);
      if (!(await holdTenant(client, tenantId))) throw notFound('unknown_tenant', 'There is no such tenant.');
      if (credentialDigest !== undefined && !(await isCredentialOf(client, tenantId, credentialDigest, deps.clock()))) throw credentialEnded();
      return makeOnce(deps, client, tenantId, { ...order, name, operationId: operation?.id ?? null });
    });
    deps.logger.info({ key_id: made.stored.id, tenant_id: tenantId, scopes: made.stored.scopes, operation_id: operation?.id }, 'key made');
    return { key: made.key, record: toProtoRecord(made.stored) };
  };
}

function credentialFaults(digest: Uint8Array | undefined): Fault[] {
  return digest === undefined || digest.length === DIGEST_SIZE_BYTES ? [] : [{ field: 'credential_digest', message: 'must be 32 bytes', type: 'wrong_length' }];
}

function credentialEnded(): ServiceError {
  return new ServiceError({ code: 'UNAUTHENTICATED', reason: 'unauthenticated', sentence: 'The key or session that asks has ended.' });
}

/** The key of the operation: made, or the one that a try before has made, with a secret that its caller gets. */
async function makeOnce(deps: KeyMakingDeps, client: PoolClient, tenantId: string, order: KeyOrder): Promise<MadeKey> {
  const before = order.operationId === null ? null : await holdKeyOfOperation(client, tenantId, order.operationId);
  if (before === null) return makeKey(deps, client, tenantId, order);
  if (!isActive(before, deps.clock())) throw keyEnded();
  if (before.lastUsedTsMs !== null) throw failedPrecondition('key_in_use', `The call has made key ${before.id} before, which is in use: its secret is not told again.`);
  return renewSecret(deps, client, before);
}
