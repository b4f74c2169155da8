import { type Fault, invalidArgument } from '@market-state/errors';
import type { CallOperation } from '../idempotency/hold-operation';

/** @throws ServiceError INVALID_ARGUMENT when there is a fault */
export function refuseFaults(faults: readonly Fault[]): void {
  if (faults.length > 0) throw invalidArgument(faults);
}

/** The end of the year 9999. */
const TS_MS_MAX = 253_402_300_799_999;

/** Code points of a text, which is what bounds of lengths count. */
function lengthOf(text: string): number {
  return [...text].length;
}

/** A name that people read: 1 to 100 characters, none of them a control character. */
export function nameFaults(field: string, name: string): Fault[] {
  const length = lengthOf(name);
  if (length >= 1 && length <= 100 && !/\p{Cc}/u.test(name)) return [];
  return [{ field, message: 'must be 1 to 100 characters, none of them a control character', type: 'out_of_range' }];
}

/** The end of something: 0 for none, else a time to come. */
export function endFaults(field: string, tsMs: number, nowMs: number): Fault[] {
  if (tsMs === 0 || (tsMs > nowMs && tsMs <= TS_MS_MAX)) return [];
  return [{ field, message: 'must be 0 or lie in the future', type: 'out_of_range' }];
}

/** Postgres keeps no NUL, and nobody means any other control character. */
export function controlFaults(field: string, text: string): Fault[] {
  return /\p{Cc}/u.test(text) ? [{ field, message: 'must hold no control character', type: 'malformed' }] : [];
}

export function lengthFaults(field: string, text: string, min: number, max: number): Fault[] {
  const length = lengthOf(text);
  if (length >= min && length <= max) return [];
  return [{ field, message: `must be ${min} to ${max} characters`, type: length < min ? 'too_short' : 'too_long' }];
}

const ID_LENGTH_MAX = 255;

/** An id, or another word that machines make: printable ASCII characters. */
export function idFaults(field: string, id: string, lengthMax = ID_LENGTH_MAX): Fault[] {
  if (id.length >= 1 && id.length <= lengthMax && /^[\x20-\x7e]*$/.test(id)) return [];
  return [{ field, message: `must be 1 to ${lengthMax} printable ASCII characters`, type: 'malformed' }];
}

/** As `idFaults`, where empty means none. */
export function optionalIdFaults(field: string, id: string, lengthMax = ID_LENGTH_MAX): Fault[] {
  return id === '' ? [] : idFaults(field, id, lengthMax);
}

/** An instant that is kept or compared: from the epoch to the end of the year 9999. */
export function instantFaults(field: string, tsMs: number): Fault[] {
  return tsMs >= 0 && tsMs <= TS_MS_MAX
    ? []
    : [{ field, message: 'must lie between the epoch and the end of the year 9999', type: 'out_of_range' }];
}

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
