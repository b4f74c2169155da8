import type { FaultItem } from '../http/fault-item';
import { parseInstant } from './instant';

const WINDOWS = [
  ['from', 'to'],
  ['start', 'end'],
] as const;

/** A window whose start is not before its end. Bounds that are empty or malformed are not compared. */
export function windowFaults(values: Readonly<Record<string, unknown>>): FaultItem[] {
  return WINDOWS.flatMap(([first, last]) => {
    const startMs = parseInstant(String(values[first] ?? ''));
    const endMs = parseInstant(String(values[last] ?? ''));
    if (startMs === null || endMs === null || startMs < endMs) return [];
    return [{ loc: ['query', first], msg: `must be before ${last}`, type: 'window' }];
  });
}
