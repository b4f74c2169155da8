import type { account } from '@market-state/contracts';
import { inTransaction } from '@market-state/postgres';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import { isActive } from '../../keys/key';
import { makeKey } from '../../keys/make-key';
import { lockTenant } from '../../store/tenants';
import { lockKey, writeKey } from '../../store/keys';
import { credentialFaults, refuseEndedCredential, keyEnded } from './update-key';
import type { KeyMakingDeps } from './issue-key';
import { isKeyId, unknownKey, toProtoRecord } from './wire';

const OVERLAP_MS_MAX = 30 * 86_400_000;

export async function rotateKey(deps: KeyMakingDeps, request: account.RotateKeyRequest): Promise<account.RotateKeyResponse> {
  const isOverlap = request.overlapMs >= 0 && request.overlapMs <= OVERLAP_MS_MAX;
  refuseFaults([
    ...idFaults('tenant_id', request.tenantId),
    ...(isOverlap ? [] : [{ field: 'overlap_ms', message: `must be 0 to ${OVERLAP_MS_MAX} (30 days)`, type: 'out_of_range' }]),
    ...credentialFaults(request.credentialDigest),
  ]);
  if (!isKeyId(request.keyId)) throw unknownKey();
  const { made, ending } = await inTransaction(deps.pool, async (client) => {
    if (!(await lockTenant(client, request.tenantId))) throw unknownKey();
    await refuseEndedCredential(client, request.tenantId, request.credentialDigest, deps.clock());
    const stored = await lockKey(client, request.tenantId, request.keyId);
    if (stored === null) throw unknownKey();
    const nowMs = deps.clock();
    if (!isActive(stored, nowMs)) throw keyEnded();
    // The old key ends first: with no overlap it makes room for the new one.
    const old = { ...stored, expiresTsMs: Math.min(nowMs + request.overlapMs, stored.expiresTsMs ?? Infinity) };
    await writeKey(client, old);
    const created = await makeKey(deps, client, request.tenantId, { ...stored, operationId: null });
    return { made: created, ending: old };
  });
  deps.logger.info(
    { key_id: ending.id, new_key_id: made.stored.id, tenant_id: request.tenantId, ends_ts_ms: ending.expiresTsMs },
    'key rotated',
  );
  const nowMs = deps.clock();
  return { key: made.key, created: toProtoRecord(made.stored, nowMs), ending: toProtoRecord(ending, nowMs) };
}
