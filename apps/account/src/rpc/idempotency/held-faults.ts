import type { Fault } from '@market-state/errors';
import { idFaults } from '@market-state/request-checks';
import type { CallTry } from '../../store/idempotent-calls';

/** What is wrong with the names of a call that was begun. */
export function heldFaults({ tenantId, operationId }: CallTry): Fault[] {
  return [...idFaults('tenant_id', tenantId), ...idFaults('operation_id', operationId)];
}
