import type { account } from '@market-state/contracts';
import { invalidArgument, notFound } from '@market-state/errors';
import { inTransaction } from '@market-state/postgres';
import { makeKey } from '../../keys/make-key';
import { holdTenant } from '../../store/write-keys';
import { nameFaults } from '../fields';
import type { KeyMakingDeps } from './issue-key';
import { readOrder, tooManyKeys } from './key-fields';
import { toProtoRecord } from './wire';

export function createCreateKey(deps: KeyMakingDeps) {
  return async function createKeyRpc(request: account.CreateKeyRequest): Promise<account.CreateKeyResponse> {
    const { faults: orderFaults, order } = readOrder(request, deps.clock());
    const faults = [...nameFaults('name', request.name), ...orderFaults];
    if (faults.length > 0 || order === undefined) throw invalidArgument(faults);
    const made = await inTransaction(deps.pool, async (client) => {
      if (!(await holdTenant(client, request.tenantId))) throw notFound('unknown_tenant', 'There is no such tenant.');
      return makeKey(deps, client, request.tenantId, { ...order, name: request.name });
    });
    if (made === null) throw tooManyKeys();
    deps.logger.info({ key_id: made.stored.id, tenant_id: request.tenantId, scopes: made.stored.scopes }, 'key made');
    return { key: made.key, record: toProtoRecord(made.stored) };
  };
}
