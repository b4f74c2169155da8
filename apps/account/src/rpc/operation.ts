import type { Fault } from '@market-state/errors';
import { idFaults } from '@market-state/request-checks';
import type { CallOperation } from '../idempotency/calls';

/** What names a call whose effect comes about once. */
interface OfOperation {
  readonly operationId?: string | undefined;
  readonly operationFence?: number | undefined;
}

export function operationFaults({ operationId, operationFence }: OfOperation): Fault[] {
  if (operationId === undefined)
    return operationFence === undefined ? [] : [{ field: 'operation_fence', message: 'must come with operation_id', type: 'required' }];
  return idFaults('operation_id', operationId);
}

/** Null for a call that is not told apart from others like it. */
export function readOperation({ operationId, operationFence }: OfOperation): CallOperation | null {
  return operationId === undefined ? null : { id: operationId, fence: operationFence ?? 0 };
}
