import type { FaultItem } from '../errors/fault-item';

const SYMBOL_FIELDS: ReadonlySet<unknown> = new Set(['symbol', 'symbols']);

/** Adds to the fault of a malformed symbol which symbols are served, as the 404 of a well-formed one does. */
export function nameServed(fault: FaultItem, served: readonly string[]): FaultItem {
  if (fault.type !== 'pattern' || !SYMBOL_FIELDS.has(fault.loc[1]) || served.length === 0) return fault;
  return { ...fault, msg: `${fault.msg}. Served: ${served.join(', ')}` };
}
