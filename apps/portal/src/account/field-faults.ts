import { InvalidError } from '@market-state/client';

/** The faults of a refused form by the name of their field, in words to stand under it. */
export function fieldFaults(error: unknown): ReadonlyMap<string, string> {
  if (!(error instanceof InvalidError)) return new Map();
  const faults = new Map<string, string>();
  for (const { loc, msg } of error.faults) {
    const field = String(loc.at(-1) ?? '');
    faults.set(field, faults.has(field) ? `${faults.get(field) ?? ''}; ${msg}` : msg);
  }
  return faults;
}

/** Whether every fault of a refusal stands under a field of the form, so that nothing is left to say of it. */
export function isSaidAtFields(error: unknown, fields: readonly string[]): boolean {
  const faults = fieldFaults(error);
  return faults.size > 0 && [...faults.keys()].every((field) => fields.includes(field));
}
