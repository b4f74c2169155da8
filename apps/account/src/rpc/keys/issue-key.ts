import type { account } from '@market-state/contracts';
import { invalidArgument } from '@market-state/errors';
import type { Logger } from '@market-state/logging';
import { inTransaction } from '@market-state/postgres';
import { nameFaults } from '@market-state/request-checks';
import type { Pool } from 'pg';
import { newId } from '../../keys/id';
import { makeKey, type MakeDeps } from '../../keys/make-key';
import { lockTenantOfName } from '../../store/tenants';
import { readOrder } from './key-fields';

/** Name of a key that an operator issued. */
const OPERATOR_KEY_NAME = 'issued by the operator';

export interface KeyMakingDeps extends MakeDeps {
  readonly pool: Pool;
  readonly logger: Logger;
}

export async function issueKey(deps: KeyMakingDeps, request: account.IssueKeyRequest): Promise<account.IssueKeyResponse> {
  const { faults: orderFaults, order } = readOrder(request, deps.clock());
  const faults = [...nameFaults('tenant_name', request.tenantName), ...orderFaults];
  if (faults.length > 0 || order === undefined) throw invalidArgument(faults);
  const made = await inTransaction(deps.pool, async (client) => {
    const tenantId = await lockTenantOfName(client, request.tenantName, newId('ten', deps.randomBytes), deps.clock());
    return makeKey(deps, client, tenantId, { ...order, name: OPERATOR_KEY_NAME, operationId: null, ceiling: null, rate: null });
  });
  const { id: keyId, tenantId, scopes } = made.stored;
  deps.logger.info({ key_id: keyId, tenant_id: tenantId, scopes }, 'key issued');
  return { key: made.key, keyId, tenantId };
}
