import { checkNumbers } from './policy/check-numbers';
import type { PolicyNumbers } from './policy/numbers';
import schema from './policy/schemas/numbers.schema.json';

/** Inclusive if `isIn`. */
interface Bound {
  readonly value: number;
  readonly isIn: boolean;
}

export interface NumberField {
  readonly path: string;
  readonly kind: 'number' | 'integer' | 'boolean';
  /** Null: no fixed bound, though other numbers may limit it. */
  readonly least: Bound | null;
  readonly most: Bound | null;
}

/** The message continues from the path. */
export interface NumberFault {
  readonly path: string;
  readonly says: string;
}

interface SchemaNode {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
}

/** Not editable: the log was closed by it, and every other length is a multiple of it. */
const FIXED: ReadonlySet<string> = new Set(['windows.packet_interval_ms']);

export const NUMBER_FIELDS: readonly NumberField[] = [...fieldsOf(schema as SchemaNode, [])];

function* fieldsOf(node: SchemaNode, at: readonly string[]): Generator<NumberField> {
  for (const [name, member] of Object.entries(node.properties ?? {})) {
    const path = [...at, name];
    if (member.type === 'object') yield* fieldsOf(member, path);
    else if (isKind(member.type) && !FIXED.has(path.join('.')))
      yield { path: path.join('.'), kind: member.type, least: boundOf(member, 'minimum'), most: boundOf(member, 'maximum') };
  }
}

function isKind(type: string | undefined): type is NumberField['kind'] {
  return type === 'number' || type === 'integer' || type === 'boolean';
}

function boundOf(node: SchemaNode, end: 'minimum' | 'maximum'): Bound | null {
  const beyond = end === 'minimum' ? node.exclusiveMinimum : node.exclusiveMaximum;
  const value = node[end] ?? beyond;
  return value === undefined ? null : { value, isIn: beyond === undefined };
}

/** Edits by path, as text: `0.2`, `3`, `true`. */
export type NumberEdits = Readonly<Record<string, string>>;

export function numberAt(numbers: PolicyNumbers, path: string): number | boolean | undefined {
  const value = path.split('.').reduce<unknown>((node, name) => (node as Readonly<Record<string, unknown>> | undefined)?.[name], numbers);
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

/**
 * Applies edits and returns every fault, in the sentences of `parsePolicy`. Use the result only without faults.
 * Generates no code, so pages may run it.
 */
export function editNumbers(
  numbers: PolicyNumbers,
  edits: NumberEdits,
): { readonly numbers: PolicyNumbers; readonly faults: readonly NumberFault[] } {
  const faults: NumberFault[] = [];
  const edited = structuredClone(numbers);
  for (const [path, text] of Object.entries(edits)) {
    const field = NUMBER_FIELDS.find((each) => each.path === path);
    if (field === undefined || numberAt(numbers, path) === undefined) {
      faults.push({ path, says: 'is not an editable number of the policy' });
      continue;
    }
    const value = valueOf(field, text);
    const wrong = faultsOf(field, value, text);
    faults.push(...wrong.map((says) => ({ path, says })));
    if (isOfKind(field, value)) setAt(edited, path, value);
  }
  // A value of a wrong type keeps its old value, so it causes no further faults.
  checkNumbers(edited, (pointer, says) => faults.push({ path: pointer.slice(1).replaceAll('/', '.'), says }));
  return { numbers: edited, faults };
}

function valueOf({ kind }: NumberField, text: string): unknown {
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text.trim()) ? Number(text) : text;
}

function isOfKind({ kind }: NumberField, value: unknown): boolean {
  return kind === 'integer' ? Number.isInteger(value) : kind === 'boolean' ? typeof value === 'boolean' : Number.isFinite(value);
}

function faultsOf(field: NumberField, value: unknown, text: string): readonly string[] {
  const { kind, least, most } = field;
  const shown = typeof value === 'string' ? JSON.stringify(text) : String(value);
  const wrong = isOfKind(field, value) ? [] : [`(${shown}) must be ${kind}`];
  if (typeof value !== 'number') return wrong;
  if (least !== null && (least.isIn ? value < least.value : value <= least.value))
    wrong.push(`(${shown}) must be ${least.isIn ? '>=' : '>'} ${least.value}`);
  if (most !== null && (most.isIn ? value > most.value : value >= most.value))
    wrong.push(`(${shown}) must be ${most.isIn ? '<=' : '<'} ${most.value}`);
  return wrong;
}

function setAt(numbers: PolicyNumbers, path: string, value: unknown): void {
  const names = path.split('.');
  const parent = names
    .slice(0, -1)
    .reduce<Record<string, unknown>>((node, name) => node[name] as Record<string, unknown>, numbers as unknown as Record<string, unknown>);
  parent[names.at(-1) ?? ''] = value;
}

export type { PolicyNumbers } from './policy/numbers';
