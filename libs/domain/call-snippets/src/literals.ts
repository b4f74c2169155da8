export class Variable {
  /** @param name upper case, as in a shell: `EVENT_ID` */
  constructor(readonly name: string) {}
}

/** Creates a placeholder for a value that the reader fills in. */
export function variable(name: string): Variable {
  return new Variable(name);
}

export function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Variable);
}

function typescriptLiteral(value: unknown): string {
  if (value instanceof Variable) return camel(value.name);
  if (typeof value === 'string') return singleQuoted(value);
  if (Array.isArray(value)) return `[${value.map(typescriptLiteral).join(', ')}]`;
  if (!isFields(value)) return JSON.stringify(value);
  return typescriptObject(value);
}

/** Fields as a TypeScript object literal; empty if there are none. */
export function typescriptObject(fields: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(fields).map(([name, each]) => `${fieldName(name)}: ${typescriptLiteral(each)}`);
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}

function fieldName(name: string): string {
  return /^[a-z_]\w*$/i.test(name) ? name : singleQuoted(name);
}

function pythonLiteral(value: unknown): string {
  if (value instanceof Variable) return value.name.toLowerCase();
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  if (!isFields(value)) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, each]) => `${JSON.stringify(name)}: ${pythonLiteral(each)}`)
    .join(', ')}}`;
}

/** Python keywords that are API parameter names; the Python client appends `_`. */
const PYTHON_KEPT: ReadonlySet<string> = new Set(['from']);

/** Fields as Python keyword arguments. */
export function pythonArguments(fields: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .map(([name, each]) => `${PYTHON_KEPT.has(name) ? `${name}_` : name}=${pythonLiteral(each)}`)
    .join(', ');
}

function singleQuoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll(String.raw`\"`, '"').replaceAll("'", String.raw`\'`);
  return `'${inner}'`;
}

function camel(name: string): string {
  return name.toLowerCase().replace(/_([a-z])/g, (_whole, letter: string) => letter.toUpperCase());
}
