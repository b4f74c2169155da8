import type { Fault } from '@market-state/errors';
import { controlFaults, idFaults, lengthFaults, rangeFaults } from '@market-state/request-checks';

const NAME_LENGTH_MAX = 100;

export function nameFaults(name: string): Fault[] {
  return [...lengthFaults('name', name, 1, NAME_LENGTH_MAX), ...controlFaults('name', name)];
}

const PAGE_SIZE = 100;
const PAGE_SIZE_MAX = 1_000;

/** Page size from 1 to 1000; 0 means 100. */
export function pageSizeOf(requested: number): number {
  return requested === 0 ? PAGE_SIZE : requested;
}

export function pageSizeFaults(requested: number): Fault[] {
  return rangeFaults('page_size', requested, 0, PAGE_SIZE_MAX);
}

export function operationFaults(operationId: string | undefined): Fault[] {
  return operationId === undefined ? [] : idFaults('operation_id', operationId);
}
