import type { Report } from './files';

/** Null if there is nothing to read: absent is not zero. */
export type FactValue = number | string | boolean | readonly string[] | null;

/** Facts by name; every name of policy/facts.json is present, null if unreadable. */
export type Facts = Readonly<Record<string, FactValue>>;

export type FactSet = Record<string, FactValue>;

/** Without a prototype: adding hundreds of names is much faster on a plain dictionary. */
export function emptyFacts(): FactSet {
  return Object.create(null) as FactSet;
}

type FactType = 'number' | 'word' | 'flag' | 'list';

export interface FactDeclaration {
  readonly name: string;
  readonly type: FactType;
  /** `packet` facts follow the tags, so no tag may read them; `lane` facts belong to one compute lane. */
  readonly stage: 'market' | 'packet' | 'lane';
  /** Dotted path of the same value in the packet; `lane:<lane_id>.<field>` for a compute lane. */
  readonly packet_field?: string;
  /** For values without a field of their own: facts with a field from which they follow. */
  readonly derived_from?: readonly string[];
  /** Taxonomy kind of the word or list of words. */
  readonly taxonomy?: string;
  readonly words?: readonly string[];
  /** For a feature: the source family without which it is null. */
  readonly source_family?: string;
  readonly meaning: string;
}

/**
 * Comparisons with a null fact are false; only `absent` holds. `gte`, `gt`, `lte`, `lt` compare a number with a number
 * or another fact; `eq`, `ne` compare words, flags and numbers; `in` searches a list of words; `has`, `lacks` search a
 * list fact; `present`, `absent` are written as `true`; an empty list is absent.
 */
export type Condition =
  | { readonly always: true }
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }
  | Comparison;

type Comparison = { readonly fact: string } & { readonly [operator in Operator]?: Operand };
type Operand = number | string | boolean | readonly string[] | { readonly fact: string };

const OPERATORS = ['eq', 'ne', 'gte', 'gt', 'lte', 'lt', 'in', 'has', 'lacks', 'present', 'absent'] as const;
type Operator = (typeof OPERATORS)[number];

const TYPES: Readonly<Record<Operator, readonly FactType[]>> = {
  eq: ['number', 'word', 'flag'],
  ne: ['number', 'word', 'flag'],
  gte: ['number'],
  gt: ['number'],
  lte: ['number'],
  lt: ['number'],
  in: ['word'],
  has: ['list'],
  lacks: ['list'],
  present: ['number', 'word', 'flag', 'list'],
  absent: ['number', 'word', 'flag', 'list'],
};

const OPERAND_TYPES: Readonly<Record<FactType, 'number' | 'string' | 'boolean'>> = {
  number: 'number',
  word: 'string',
  flag: 'boolean',
  list: 'string',
};

export type Test = (facts: Facts) => boolean;

/** Allowed words by fact name; facts not listed may contain any. */
export interface FactTable {
  readonly declarations: ReadonlyMap<string, FactDeclaration>;
  readonly words: (declaration: FactDeclaration) => ReadonlySet<string> | null;
}

export function compileCondition(condition: Condition, table: FactTable, path: string, report: Report): Test {
  if ('always' in condition) return () => true;
  if ('all' in condition) {
    const tests = condition.all.map((part, i) => compileCondition(part, table, `${path}/all/${i}`, report));
    return (facts) => tests.every((test) => test(facts));
  }
  if ('any' in condition) {
    const tests = condition.any.map((part, i) => compileCondition(part, table, `${path}/any/${i}`, report));
    return (facts) => tests.some((test) => test(facts));
  }
  if ('not' in condition) {
    const test = compileCondition(condition.not, table, `${path}/not`, report);
    return (facts) => !test(facts);
  }
  return compileComparison(condition, table, path, report);
}

function compileComparison(condition: Comparison, table: FactTable, path: string, report: Report): Test {
  const operator = OPERATORS.find((name) => condition[name] !== undefined) ?? 'present';
  const operand = condition[operator];
  const declaration = table.declarations.get(condition.fact);
  // The schema has already reported a missing operator.
  if (operand === undefined) return () => false;
  if (declaration === undefined) {
    report(`${path}/fact`, `("${condition.fact}") is not a fact that may be read here`);
    return () => false;
  }
  if (TYPES[operator].includes(declaration.type)) checkOperand(declaration, operator, operand, table, `${path}/${operator}`, report);
  else report(`${path}/${operator}`, `cannot be applied to "${declaration.name}", a ${declaration.type}`);
  const read = readOperand(operand);
  return (facts) => holds(operator, facts[condition.fact] ?? null, read(facts));
}

function checkOperand(
  declaration: FactDeclaration,
  operator: Operator,
  operand: Operand,
  table: FactTable,
  path: string,
  report: Report,
): void {
  if (operator === 'present' || operator === 'absent') return;
  if (typeof operand === 'object' && 'fact' in operand) {
    const other = table.declarations.get(operand.fact);
    if (other === undefined) report(`${path}/fact`, `("${operand.fact}") is not a fact that may be read here`);
    else if (other.type !== declaration.type)
      report(`${path}/fact`, `("${operand.fact}") is a ${other.type}, "${declaration.name}" a ${declaration.type}`);
    return;
  }
  const values: readonly (number | string | boolean)[] = typeof operand === 'object' ? operand : [operand];
  const allowed = table.words(declaration);
  for (const value of values) {
    if (typeof value !== OPERAND_TYPES[declaration.type])
      report(path, `(${JSON.stringify(value)}) is compared with "${declaration.name}", a ${declaration.type}`);
    else if (typeof value === 'string' && allowed !== null && !allowed.has(value))
      report(path, `("${value}") is not a value of "${declaration.name}"`);
  }
}

function readOperand(operand: Operand): (facts: Facts) => FactValue {
  if (typeof operand === 'object' && 'fact' in operand) return (facts) => facts[operand.fact] ?? null;
  return () => operand;
}

function holds(operator: Operator, value: FactValue, operand: FactValue): boolean {
  const absent = value === null || (Array.isArray(value) && value.length === 0);
  if (operator === 'absent') return absent;
  if (operator === 'present') return !absent;
  if (value === null || operand === null) return false;
  switch (operator) {
    case 'eq':
      return value === operand;
    case 'ne':
      return value !== operand;
    case 'gte':
      return value >= operand;
    case 'gt':
      return value > operand;
    case 'lte':
      return value <= operand;
    case 'lt':
      return value < operand;
    case 'in':
      return Array.isArray(operand) && operand.includes(value);
    case 'has':
      return Array.isArray(value) && value.includes(operand);
    case 'lacks':
      return Array.isArray(value) && !value.includes(operand);
  }
}
