/** A value that the reader fills in. */
export class Variable {
  /** @param name in capitals, as a shell has it: `EVENT_ID` */
  constructor(readonly name: string) {}
}

/** In place of a value that the reader fills in. */
export function variable(name: string): Variable {
  return new Variable(name);
}

/** Whether a value has fields of its own. */
export function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Variable);
}
