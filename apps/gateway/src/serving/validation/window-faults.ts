import type { FaultItem } from '../errors/fault-item';
import { parseInstant } from './instant';

const WINDOWS = [
  ['from', 'to'],
  ['start', 'end'],
] as const;

/**
 * A window whose start is not before its end, or that is longer than `windowMsMax` (null: any length will do). Bounds that are
 * empty or malformed are not compared.
 */
export function windowFaults(values: Readonly<Record<string, unknown>>, windowMsMax: number | null): FaultItem[] {
  return WINDOWS.flatMap(([first, last]) => {
    const startMs = parseInstant(String(values[first] ?? ''));
    const endMs = parseInstant(String(values[last] ?? ''));
    if (startMs === null || endMs === null) return [];
    if (startMs >= endMs) return [{ loc: ['query', first], msg: `must be before ${last}`, type: 'window' }];
    if (windowMsMax === null || endMs - startMs <= windowMsMax) return [];
    return [{ loc: ['query', last], msg: `must be at most ${windowMsMax / 60_000} minutes after ${first}`, type: 'window_too_long' }];
  });
}
