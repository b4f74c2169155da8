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

/** A value as TypeScript writes it. */
function typescriptLiteral(value: unknown): string {
  if (value instanceof Variable) return camel(value.name);
  if (typeof value === 'string') return singleQuoted(value);
  if (Array.isArray(value)) return `[${value.map(typescriptLiteral).join(', ')}]`;
  if (!isFields(value)) return JSON.stringify(value);
  return typescriptObject(value);
}

/** Fields as an object of TypeScript; nothing where there are none. */
export function typescriptObject(fields: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(fields).map(([name, each]) => `${fieldName(name)}: ${typescriptLiteral(each)}`);
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}

function fieldName(name: string): string {
  return /^[a-z_]\w*$/i.test(name) ? name : singleQuoted(name);
}

/** A value as Python writes it. */
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

/** Words that Python keeps for itself and that the API has as names: its client has them with `_` behind. */
const PYTHON_KEPT: ReadonlySet<string> = new Set(['from']);

/** Fields as the named arguments of a call in Python. */
export function pythonArguments(fields: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .map(([name, each]) => `${PYTHON_KEPT.has(name) ? `${name}_` : name}=${pythonLiteral(each)}`)
    .join(', ');
}

/** A text in single quotes, its own quotes escaped. */
function singleQuoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll(String.raw`\"`, '"').replaceAll("'", String.raw`\'`);
  return `'${inner}'`;
}

function camel(name: string): string {
  return name.toLowerCase().replace(/_([a-z])/g, (_whole, letter: string) => letter.toUpperCase());
}
