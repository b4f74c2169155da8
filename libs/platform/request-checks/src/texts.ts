import type { Fault } from '@market-state/errors';

const CONTROL = /\p{Cc}/u;
const NAME_LENGTH_MAX = 100;

/** A text of so many code points. */
export function lengthFaults(field: string, text: string, min: number, max: number): Fault[] {
  const length = [...text].length;
  if (length >= min && length <= max) return [];
  return [{ field, message: `must be ${min} to ${max} characters`, type: length < min ? 'too_short' : 'too_long' }];
}

/** A text without control characters: Postgres keeps no NUL, and nobody means the others. */
export function controlFaults(field: string, text: string): Fault[] {
  return CONTROL.test(text) ? [{ field, message: 'must hold no control character', type: 'malformed' }] : [];
}

/** A name that people read: 1 to 100 characters, none of them a control character. */
export function nameFaults(field: string, name: string): Fault[] {
  if (lengthFaults(field, name, 1, NAME_LENGTH_MAX).length === 0 && !CONTROL.test(name)) return [];
  return [{ field, message: `must be 1 to ${NAME_LENGTH_MAX} characters, none of them a control character`, type: 'out_of_range' }];
}
