import { InvalidError } from '@market-state/client';

export function fieldFaults(error: unknown): ReadonlyMap<string, string> {
  if (!(error instanceof InvalidError)) return new Map();
  const faults = new Map<string, string>();
  for (const { loc, msg } of error.faults) {
    const field = String(loc.at(-1) ?? '');
    faults.set(field, faults.has(field) ? `${faults.get(field) ?? ''}; ${msg}` : msg);
  }
  return faults;
}

/** True if every fault of the refusal is shown at one of these fields, so no general notice is needed. */
export function isSaidAtFields(error: unknown, fields: readonly string[]): boolean {
  const faults = fieldFaults(error);
  return faults.size > 0 && [...faults.keys()].every((field) => fields.includes(field));
}
