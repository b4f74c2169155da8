import type { Fault } from '@market-state/errors';
import { idFaults } from '@market-state/request-checks';
import type { HeldCall } from '../../idempotency/end-call';

/** What is wrong with the names of a call that was begun. */
export function heldFaults({ tenantId, operationId }: HeldCall): Fault[] {
  return [...idFaults('tenant_id', tenantId), ...idFaults('operation_id', operationId)];
}
