import type { account } from '@market-state/contracts';
import { failedPrecondition, type Fault, invalidArgument, notFound } from '@market-state/errors';
import { inTransaction } from '@market-state/postgres';
import { idFaults, nameFaults } from '@market-state/request-checks';
import type { PoolClient } from 'pg';
import type { CeilingTerms } from '../../credits/book';
import { makeCeiling } from '../../credits/ceilings';
import { holdOperation } from '../../idempotency/calls';
import { isActive } from '../../keys/key';
import { type KeyOrder, type MadeKey, makeKey, renewSecret } from '../../keys/make-key';
import { lockTenant } from '../../store/tenants';
import { lockKeyOfOperation } from '../../store/keys';
import { ceilingFaults } from '../ceiling';
import { operationFaults, readOperation } from '../operation';
import { credentialFaults, refuseEndedCredential, keyEnded } from './update-key';
import type { KeyMakingDeps } from './issue-key';
import { rateFaultsOf, readOrder, toProtoRecord } from './wire';

export async function createKey(deps: KeyMakingDeps, request: account.CreateKeyRequest): Promise<account.CreateKeyResponse> {
  const { tenantId, name, credentialDigest, creditCeiling, callsPerMinute } = request;
  const { faults: orderFaults, order } = readOrder(request, deps.clock());
  const faults: Fault[] = [
    ...idFaults('tenant_id', tenantId),
    ...nameFaults('name', name),
    ...orderFaults,
    ...operationFaults(request),
    ...credentialFaults(credentialDigest),
    ...ceilingFaults('credit_ceiling', creditCeiling),
    ...(await rateFaultsOf(deps.pool, tenantId, callsPerMinute)),
  ];
  if (faults.length > 0 || order === undefined) throw invalidArgument(faults);
  const operation = readOperation(request);
  const made = await inTransaction(deps.pool, async (client) => {
    if (operation !== null) await holdOperation(client, tenantId, operation);
    if (!(await lockTenant(client, tenantId))) throw notFound('unknown_tenant', 'There is no such tenant.');
    await refuseEndedCredential(client, tenantId, credentialDigest, deps.clock());
    const rate = callsPerMinute === undefined ? null : { callsPerMinute, keyId: null };
    return makeOnce(deps, client, tenantId, { ...order, name, operationId: operation?.id ?? null, terms: creditCeiling ?? null, rate });
  });
  deps.logger.info({ key_id: made.stored.id, tenant_id: tenantId, scopes: made.stored.scopes, operation_id: operation?.id }, 'key made');
  return { key: made.key, record: toProtoRecord(made.stored, deps.clock()) };
}

/** The key of the operation: made, or the one that a try before has made, with a secret that its caller gets. */
async function makeOnce(
  deps: KeyMakingDeps,
  client: PoolClient,
  tenantId: string,
  { terms, ...order }: Omit<KeyOrder, 'ceiling'> & { readonly terms: CeilingTerms | null },
): Promise<MadeKey> {
  const before = order.operationId === null ? null : await lockKeyOfOperation(client, tenantId, order.operationId);
  if (before === null) {
    const ceiling = terms === null ? null : await makeCeiling(client, tenantId, terms, deps.clock());
    return makeKey(deps, client, tenantId, { ...order, ceiling });
  }
  if (!isActive(before, deps.clock())) throw keyEnded();
  if (before.lastUsedTsMs !== null)
    throw failedPrecondition('key_in_use', `The call has made key ${before.id} before, which is in use: its secret cannot be shown again.`);
  return renewSecret(deps, client, before);
}
