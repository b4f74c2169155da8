import { type Fault, invalidArgument } from '@market-state/errors';

const SYMBOL = /^[A-Z0-9]{1,20}USD-PERP$/;

/** Faults of a symbol field: malformed. Whether it is served is asked later. */
export function symbolFaults(symbol: string): Fault[] {
  return SYMBOL.test(symbol) ? [] : [{ field: 'symbol', message: 'must look like BTCUSD-PERP', type: 'malformed' }];
}

/** Faults of a whole number that must lie within bounds. */
export function rangeFaults(field: string, value: number, min: number, max: number): Fault[] {
  return Number.isInteger(value) && value >= min && value <= max
    ? []
    : [{ field, message: `must be between ${min} and ${max}`, type: 'out_of_range' }];
}

/** Latest instant that a time field may name: the year 2100. */
const TIME_MS_MAX = Date.UTC(2100, 0);

/** Faults of an instant in epoch milliseconds; 0 counts as absent. */
export function instantFaults(field: string, timeMs: number): Fault[] {
  return rangeFaults(field, timeMs, 0, TIME_MS_MAX);
}

/** Throws INVALID_ARGUMENT with every fault found, if any was. */
export function refuseFaults(...found: readonly (readonly Fault[])[]): void {
  const faults = found.flat();
  if (faults.length > 0) throw invalidArgument(faults);
}
