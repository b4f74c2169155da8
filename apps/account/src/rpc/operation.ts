import type { Fault } from '@market-state/errors';
import { idFaults } from '@market-state/request-checks';
import type { CallOperation } from '../idempotent-calls';

interface OfOperation {
  readonly operationId?: string | undefined;
  readonly operationFence?: number | undefined;
}

export function operationFaults({ operationId, operationFence }: OfOperation): Fault[] {
  if (operationId === undefined)
    return operationFence === undefined ? [] : [{ field: 'operation_fence', message: 'requires operation_id', type: 'required' }];
  return idFaults('operation_id', operationId);
}

export function readOperation({ operationId, operationFence }: OfOperation): CallOperation | null {
  return operationId === undefined ? null : { id: operationId, fence: operationFence ?? 0 };
}
