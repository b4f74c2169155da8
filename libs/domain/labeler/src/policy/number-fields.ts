import { checkNumbers } from './check-numbers';
import type { PolicyNumbers } from './numbers';
import schema from './schemas/numbers.schema.json';

/** A bound of a number: the value, and whether the number may be it. */
export interface Bound {
  readonly value: number;
  readonly isIn: boolean;
}

/** One number of `numbers.json` that can be edited. */
export interface NumberField {
  /** Its place, such as `thresholds.pressure.watch`. */
  readonly path: string;
  readonly kind: 'number' | 'integer' | 'boolean';
  /** Null: no bound of its own; others may hold it against other numbers. */
  readonly least: Bound | null;
  readonly most: Bound | null;
}

/** Something wrong with a number, at its path. The sentence goes on from the path. */
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

/** The grid of windows, which a log was closed by and every other length is a multiple of: it cannot be edited in the middle of a log. */
const FIXED: ReadonlySet<string> = new Set(['windows.packet_interval_ms']);

/** Every number and switch of `numbers.json` that can be edited, in the order of the file, with the bounds of its schema. */
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

/** Edits by path, each as it is written: `0.2`, `3`, `true`. */
export type NumberEdits = Readonly<Record<string, string>>;

/** The value of a field in these numbers. */
export function numberAt(numbers: PolicyNumbers, path: string): number | boolean | undefined {
  const value = path.split('.').reduce<unknown>((node, name) => (node as Readonly<Record<string, unknown>> | undefined)?.[name], numbers);
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

/**
 * The numbers with these edits, and everything that is wrong with them, at once: an edit of no number that can be edited, a value of
 * another type or outside its bounds, numbers that cannot stand together. Only without a fault are they to be used. It makes no code, so
 * that pages may run it; the sentences are those of `parsePolicy`.
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
      faults.push({ path, says: 'is no number of the policy that can be edited' });
      continue;
    }
    const value = valueOf(field, text);
    const wrong = faultsOf(field, value, text);
    faults.push(...wrong.map((says) => ({ path, says })));
    if (isOfKind(field, value)) setAt(edited, path, value);
  }
  // What is of another type is left as it was: it is held against nothing.
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

/** Puts a value at a path that is there. */
function setAt(numbers: PolicyNumbers, path: string, value: unknown): void {
  const names = path.split('.');
  const parent = names
    .slice(0, -1)
    .reduce<Record<string, unknown>>((node, name) => node[name] as Record<string, unknown>, numbers as unknown as Record<string, unknown>);
  parent[names.at(-1) ?? ''] = value;
}
