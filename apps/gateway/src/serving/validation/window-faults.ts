import type { FaultItem } from '../errors/fault-item';
import { inPeoplesUnits } from './in-peoples-units';
import { parseInstant } from './instant';

const WINDOWS = [
  ['from', 'to'],
  ['start', 'end'],
] as const;

/** What a window is judged by. */
export interface WindowBounds {
  /** Longest window, milliseconds; null: any length will do. */
  readonly windowMsMax: number | null;
  /** Up to here there may be something to read, milliseconds since the epoch: a window that begins later is wholly in the future. */
  readonly nowMs: number;
}

/**
 * A window whose start is not before its end, that is too long, or that lies wholly in the future. Bounds that are empty or malformed are
 * not compared.
 */
export function windowFaults(values: Readonly<Record<string, unknown>>, { windowMsMax, nowMs }: WindowBounds): FaultItem[] {
  return WINDOWS.flatMap(([first, last]) => {
    const startMs = parseInstant(String(values[first] ?? ''));
    const endMs = parseInstant(String(values[last] ?? ''));
    if (startMs === null) return [];
    const faults: FaultItem[] = [];
    if (endMs !== null && startMs >= endMs) faults.push({ loc: ['query', first], msg: `must be before ${last}`, type: 'window' });
    else if (startMs > nowMs) faults.push({ loc: ['query', first], msg: 'must not be in the future', type: 'in_the_future' });
    if (endMs !== null && windowMsMax !== null && endMs - startMs > windowMsMax)
      faults.push({ loc: ['query', last], msg: `must be at most ${inPeoplesUnits(windowMsMax)} after ${first}`, type: 'window_too_long' });
    return faults;
  });
}
