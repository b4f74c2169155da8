import type { AlterTableCmd, AlterTableStmt, ColumnDef, Constraint, Node } from 'libpg-query';

/** Objects created by migrations since the last release, whose code does not know them. */
export interface Made {
  readonly names: Set<string>;
}

export type Kind = 'table' | 'column' | 'function' | 'type' | 'index' | 'trigger' | 'constraint' | 'sequence' | 'view' | 'statistics';

export function createMade(): Made {
  return { names: new Set() };
}

export function make({ names }: Made, kind: Kind, name: string): void {
  names.add(`${kind} ${name}`);
}

export function isMade({ names }: Made, kind: Kind, name: string): boolean {
  return names.has(`${kind} ${name}`);
}

export function lastNameOf(parts: readonly Node[] | undefined): string {
  const last = parts?.at(-1);
  return last !== undefined && 'String' in last ? (last.String.sval ?? '') : '';
}

function columnsIn(node: unknown): string[] {
  if (node === null || typeof node !== 'object') return [];
  if (Array.isArray(node)) return node.flatMap(columnsIn);
  return Object.entries(node).flatMap(([name, value]) =>
    name === 'ColumnRef' ? [lastNameOf((value as { fields?: Node[] }).fields)] : columnsIn(value),
  );
}

/** Reports a contraction, which a declaration permits, or any other fault. */
export interface Say {
  contracts(says: string): void;
  refuses(says: string): void;
}

/** Actions that change neither stored data nor constraints, and need no scan. */
const HARMLESS = [
  'AT_ColumnDefault',
  'AT_SetStatistics',
  'AT_SetOptions',
  'AT_ResetOptions',
  'AT_SetStorage',
  'AT_SetCompression',
  'AT_SetRelOptions',
  'AT_ResetRelOptions',
  'AT_AttachPartition',
  'AT_EnableTrig',
  'AT_ReplicaIdentity',
];

/** Defaults that PostgreSQL evaluates once for all existing rows: constants, and values stable within a transaction. */
const STABLE = ['now', 'transaction_timestamp', 'current_setting'];

/** Effects of a change to a table of the last release, on its code and on waiting sessions. */
export function alterTable({ relation, cmds = [] }: AlterTableStmt, made: Made, say: Say): void {
  const table = relation?.relname ?? '';
  const isNew = isMade(made, 'table', table);
  for (const node of cmds) {
    if (!('AlterTableCmd' in node)) continue;
    const command = node.AlterTableCmd;
    if (!isNew) change(table, command, made, say);
    if (command.subtype === 'AT_AddColumn') make(made, 'column', `${table}.${columnOf(command.def).colname}`);
    if (command.subtype === 'AT_AddConstraint') make(made, 'constraint', `${table}.${constraintOf(command.def).conname}`);
  }
}

function change(table: string, { subtype, name = '', def }: AlterTableCmd, made: Made, say: Say): void {
  const column = `${table}.${name}`;
  const isNewColumn = isMade(made, 'column', column);
  switch (subtype) {
    case 'AT_AddColumn':
      return addColumn(table, columnOf(def), say);
    case 'AT_AddConstraint':
      return addConstraint(table, constraintOf(def), made, say);
    case 'AT_DropColumn':
      return isNewColumn ? undefined : say.contracts(`drops the column ${column}`);
    case 'AT_DropConstraint':
      return isMade(made, 'constraint', column) ? undefined : say.contracts(`drops the constraint ${name} of ${table}`);
    case 'AT_DropNotNull':
      return isNewColumn ? undefined : say.contracts(`lets ${column} be null, which the last release may read`);
    case 'AT_SetNotNull':
      return isNewColumn
        ? say.refuses(`reads all of ${table} under a lock for SET NOT NULL of ${name}: add CHECK (… IS NOT NULL) NOT VALID and validate it`)
        : say.contracts(`makes ${column} NOT NULL, which the last release may leave out`);
    case 'AT_AlterColumnType':
      return say.refuses(`changes the type of ${column}: add a column of the new type, and drop this one a release later`);
    case 'AT_ValidateConstraint':
      return isMade(made, 'constraint', `${column} now`)
        ? say.refuses(`validates ${name} of ${table} in the migration that adds it, under its lock: do it in the next`)
        : undefined;
    case 'AT_ColumnDefault':
      if (def === undefined && !isNewColumn) say.contracts(`drops the default of ${column}`);
      return undefined;
    default:
      if (!HARMLESS.includes(String(subtype))) say.refuses(`does ${subtype} to ${table}, which may rewrite it`);
  }
}

function addColumn(table: string, { colname, constraints = [], typeName }: ColumnDef, say: Say): void {
  const column = `${table}.${colname}`;
  const all = constraints.flatMap((node) => ('Constraint' in node ? [node.Constraint] : []));
  const given = all.find(({ contype }) => contype === 'CONSTR_DEFAULT')?.raw_expr;
  const has = (...kinds: readonly string[]): boolean => all.some(({ contype }) => kinds.includes(String(contype)));
  if (has('CONSTR_NOTNULL') && given === undefined)
    say.refuses(`adds ${column} NOT NULL without a default: rows that are there, and those that the last release writes, have none`);
  if (has('CONSTR_GENERATED', 'CONSTR_IDENTITY') || /^(small|big)?serial\d?$/.test(lastNameOf(typeName?.names)))
    say.refuses(`rewrites ${table} to fill ${colname}`);
  if (given !== undefined && functionsIn(given).some((called) => !STABLE.includes(called)))
    say.refuses(`rewrites ${table}: the default of ${colname} is another for each row`);
  if (has('CONSTR_PRIMARY', 'CONSTR_UNIQUE'))
    say.refuses(`makes an index of ${table} under a lock: CREATE UNIQUE INDEX CONCURRENTLY in a migration of its own`);
  if (has('CONSTR_CHECK') || (has('CONSTR_FOREIGN') && given !== undefined))
    say.refuses(`reads all of ${table} under a lock: add the constraint apart, NOT VALID, and validate it in the next migration`);
}

function addConstraint(table: string, constraint: Constraint, made: Made, say: Say): void {
  const { contype, conname = '', indexname, skip_validation: isNotValid, raw_expr: check, fk_attrs: foreign, keys } = constraint;
  make(made, 'constraint', `${table}.${conname} now`);
  if (contype === 'CONSTR_UNIQUE' || contype === 'CONSTR_PRIMARY') {
    if (indexname === undefined)
      say.refuses(`makes the index of ${conname} under a lock of ${table}: make it CONCURRENTLY, then ADD … USING INDEX`);
  } else if (isNotValid !== true)
    say.refuses(`reads all of ${table} under a lock for ${conname}: NOT VALID, and VALIDATE in the next migration`);
  const columns = [...columnsIn(check), ...[...(foreign ?? []), ...(keys ?? [])].map((node) => lastNameOf([node]))];
  const isOfNew = columns.length > 0 && columns.every((column) => isMade(made, 'column', `${table}.${column}`));
  if (!isOfNew) say.contracts(`adds the constraint ${conname} to ${table}, which rows of the last release may not meet`);
}

function functionsIn(node: unknown): string[] {
  if (node === null || typeof node !== 'object') return [];
  if (Array.isArray(node)) return node.flatMap(functionsIn);
  return Object.entries(node).flatMap(([name, value]) =>
    name === 'FuncCall' ? [lastNameOf((value as { funcname?: Node[] }).funcname), ...functionsIn(value)] : functionsIn(value),
  );
}

function columnOf(def: Node | undefined): ColumnDef {
  return def !== undefined && 'ColumnDef' in def ? def.ColumnDef : {};
}

function constraintOf(def: Node | undefined): Constraint {
  return def !== undefined && 'Constraint' in def ? def.Constraint : {};
}
