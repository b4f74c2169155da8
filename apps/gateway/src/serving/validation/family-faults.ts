import { WORKLOAD_FAMILIES } from '@market-state/pricing';
import type { FaultItem } from '../errors/fault-item';

/** Faults of a simulated workload, `calls_per_day[<family>]`: families that do not exist. */
export function familyFaults({ calls_per_day: calls }: Readonly<Record<string, unknown>>): FaultItem[] {
  if (typeof calls !== 'object' || calls === null) return [];
  const unknown = Object.keys(calls).filter((name) => !WORKLOAD_FAMILIES.some((family) => family === name));
  const msg = `is not a workload family; there are ${WORKLOAD_FAMILIES.join(', ')}`;
  return unknown.map((name) => ({ loc: ['query', `calls_per_day[${name}]`], msg, type: 'unknown_workload_family' }));
}
