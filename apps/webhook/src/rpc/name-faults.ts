import type { Fault } from '@market-state/errors';
import { controlFaults, lengthFaults } from '@market-state/request-checks';

const NAME_LENGTH_MAX = 100;

/** Name of a watchlist or a saved search. */
export function nameFaults(name: string): Fault[] {
  return [...lengthFaults('name', name, 1, NAME_LENGTH_MAX), ...controlFaults('name', name)];
}
