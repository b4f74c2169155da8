import type { Fault } from '@market-state/errors';

/** What is wrong with an instant, milliseconds since the epoch, of which 0 means that none was given. */
export function instantFaults(field: string, atMs: number): Fault[] {
  return atMs < 0 ? [{ field, message: 'must not be negative', type: 'out_of_range' }] : [];
}
