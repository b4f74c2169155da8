import { type Node, parse, type RawStmt } from 'libpg-query';
import { alterTable, type Say, isMade, type Kind, lastNameOf, type Made, make } from './alter-table';

/** A migration's declaration that what it removes has been unused since a release. */
const DECLARED = /^-- Contracts: unused since (\d+\.\d+\.\d+)$/m;

const KINDS: Readonly<Record<string, Kind>> = {
  OBJECT_TABLE: 'table',
  OBJECT_VIEW: 'view',
  OBJECT_MATVIEW: 'view',
  OBJECT_COLUMN: 'column',
  OBJECT_FUNCTION: 'function',
  OBJECT_PROCEDURE: 'function',
  OBJECT_TYPE: 'type',
  OBJECT_DOMAIN: 'type',
  OBJECT_INDEX: 'index',
  OBJECT_TRIGGER: 'trigger',
  OBJECT_TABCONSTRAINT: 'constraint',
  OBJECT_SEQUENCE: 'sequence',
  OBJECT_STATISTIC_EXT: 'statistics',
};

/** Statements that remove nothing and block no one. */
const HARMLESS = ['SelectStmt', 'InsertStmt', 'CommentStmt', 'GrantStmt', 'AlterSeqStmt', 'CreateSchemaStmt', 'CreateExtensionStmt'];

/**
 * Parts of a migration that the last release's code could not work with, or that would block others for long, with line
 * numbers.
 * @param made objects created by migrations since the last release; this one adds to it
 * @param released versions of releases
 * @throws SqlError for invalid SQL
 */
export async function migrationFaults(sql: string, made: Made, released: readonly string[]): Promise<string[]> {
  const { stmts = [] } = await parse(sql);
  const declared = DECLARED.exec(sql)?.[1];
  const faults: string[] = [];
  if (declared !== undefined && !released.includes(declared))
    faults.push(`line ${lineAt(sql, sql.search(DECLARED))}: ${declared} is no release; there are ${released.join(', ')}`);
  const remade = new Set(
    stmts.flatMap(({ stmt }) => (stmt !== undefined && 'CreateTrigStmt' in stmt ? [stmt.CreateTrigStmt.trigname ?? ''] : [])),
  );
  for (const raw of stmts) {
    const line = lineAt(sql, startOf(sql, raw));
    const reported = (says: string): void => void faults.push(`line ${line}: ${says}`);
    const say: Say = {
      refuses: reported,
      contracts: (says) => {
        if (declared === undefined)
          reported(`${says}; if nothing uses it any more, declare since when: -- Contracts: unused since <version>`);
      },
    };
    if (raw.stmt !== undefined) look(raw.stmt, { made, say, isAlone: stmts.length === 1, remade });
  }
  for (const name of [...made.names]) if (name.endsWith(' now')) made.names.delete(name);
  return faults;
}

interface Looking {
  readonly made: Made;
  readonly say: Say;
  readonly isAlone: boolean;
  readonly remade: ReadonlySet<string>;
}

function look(stmt: Node, looking: Looking): void {
  const { made, say } = looking;
  if ('AlterTableStmt' in stmt) return alterTable(stmt.AlterTableStmt, made, say);
  if ('CreateStmt' in stmt) return make(made, 'table', stmt.CreateStmt.relation?.relname ?? '');
  if ('CreateTableAsStmt' in stmt) return make(made, 'table', stmt.CreateTableAsStmt.into?.rel?.relname ?? '');
  if ('ViewStmt' in stmt) return make(made, 'view', stmt.ViewStmt.view?.relname ?? '');
  if ('CreateSeqStmt' in stmt) return make(made, 'sequence', stmt.CreateSeqStmt.sequence?.relname ?? '');
  if ('CreateEnumStmt' in stmt) return make(made, 'type', lastNameOf(stmt.CreateEnumStmt.typeName));
  if ('CompositeTypeStmt' in stmt) return make(made, 'type', stmt.CompositeTypeStmt.typevar?.relname ?? '');
  if ('CreateDomainStmt' in stmt) return make(made, 'type', lastNameOf(stmt.CreateDomainStmt.domainname));
  if ('CreateStatsStmt' in stmt) return make(made, 'statistics', lastNameOf(stmt.CreateStatsStmt.defnames));
  if ('CreateTrigStmt' in stmt) return make(made, 'trigger', stmt.CreateTrigStmt.trigname ?? '');
  if ('CreateFunctionStmt' in stmt) {
    // A replacement of the last release's function counts as that function if it is dropped later.
    if (stmt.CreateFunctionStmt.replace !== true) make(made, 'function', lastNameOf(stmt.CreateFunctionStmt.funcname));
    return undefined;
  }
  if ('IndexStmt' in stmt) return makeIndex(stmt.IndexStmt, looking);
  if ('DropStmt' in stmt) return drop(stmt.DropStmt, looking);
  if ('RenameStmt' in stmt) return rename(stmt.RenameStmt, looking);
  if ('AlterEnumStmt' in stmt) {
    const { oldVal, typeName, newVal } = stmt.AlterEnumStmt;
    if (oldVal !== undefined && oldVal !== '' && !isMade(made, 'type', lastNameOf(typeName)))
      say.contracts(`renames the value ${oldVal} to ${newVal}`);
    return undefined;
  }
  if ('UpdateStmt' in stmt || 'DeleteStmt' in stmt) {
    const { relation } = 'UpdateStmt' in stmt ? stmt.UpdateStmt : stmt.DeleteStmt;
    if (!isMade(made, 'table', relation?.relname ?? ''))
      say.refuses(`writes rows of ${relation?.relname} while others wait for the migration: let the service fill them in gradually`);
    return undefined;
  }
  if ('TruncateStmt' in stmt) {
    const tables = (stmt.TruncateStmt.relations ?? []).map((node) => ('RangeVar' in node ? (node.RangeVar.relname ?? '') : ''));
    for (const table of tables.filter((name) => !isMade(made, 'table', name))) say.contracts(`empties ${table}`);
    return undefined;
  }
  if ('VariableSetStmt' in stmt && stmt.VariableSetStmt.name !== 'lock_timeout') return undefined;
  if ('VariableSetStmt' in stmt) return say.refuses('sets lock_timeout: migrations wait 3 s for a lock');
  if ('DoStmt' in stmt) return say.refuses("does what no check can see: write the DO block's statements out");
  const [kind = ''] = Object.keys(stmt);
  if (!HARMLESS.includes(kind)) say.refuses(`has a ${kind}, with an unknown effect on the last release`);
  return undefined;
}

function makeIndex(index: Extract<Node, { IndexStmt: unknown }>['IndexStmt'], { made, say, isAlone }: Looking): void {
  const { relation, idxname = '', concurrent, unique, indexParams } = index;
  const table = relation?.relname ?? '';
  if (!isMade(made, 'table', table)) {
    // On a partitioned table, ONLY creates no index in its partitions.
    if (concurrent !== true && relation?.inh === true)
      say.refuses(`makes the index ${idxname} under a lock of ${table}: CREATE INDEX CONCURRENTLY, in a migration of its own`);
    const columns = (indexParams ?? []).map((node) => ('IndexElem' in node ? (node.IndexElem.name ?? '') : ''));
    if (unique === true && !columns.every((column) => isMade(made, 'column', `${table}.${column}`)))
      say.contracts(`makes the unique index ${idxname}, which rows of the last release may not meet`);
  }
  if (concurrent === true && !isAlone) say.refuses(`makes ${idxname} CONCURRENTLY, which PostgreSQL takes only alone in a migration`);
  make(made, 'index', idxname);
}

function drop(statement: Extract<Node, { DropStmt: unknown }>['DropStmt'], { made, say, isAlone, remade }: Looking): void {
  const { objects = [], removeType, concurrent } = statement;
  const kind = KINDS[String(removeType)];
  if (concurrent === true && !isAlone) say.refuses('drops an index CONCURRENTLY, which PostgreSQL takes only alone in a migration');
  for (const object of objects) {
    const name = nameOf(object);
    if (kind !== undefined && isMade(made, kind, name)) continue;
    if (kind === 'trigger' && remade.has(name)) continue;
    say.contracts(`drops the ${kind ?? String(removeType)} ${name}`);
  }
}

function rename(statement: Extract<Node, { RenameStmt: unknown }>['RenameStmt'], { made, say }: Looking): void {
  const { renameType, relation, subname, newname = '', object } = statement;
  const kind = KINDS[String(renameType)];
  const table = relation?.relname ?? '';
  const name = object === undefined ? (subname === undefined ? table : `${table}.${subname}`) : nameOf(object);
  if (kind !== undefined && (isMade(made, kind, name) || isMade(made, 'table', table)))
    return make(made, kind, subname === undefined ? newname : `${table}.${newname}`);
  // Only later migrations name indexes and constraints.
  if (kind !== 'index' && kind !== 'constraint') say.contracts(`renames the ${kind ?? String(renameType)} ${name}`);
  return undefined;
}

function nameOf(object: Node): string {
  if ('List' in object) return lastNameOf(object.List.items);
  if ('ObjectWithArgs' in object) return lastNameOf(object.ObjectWithArgs.objname);
  if ('TypeName' in object) return lastNameOf(object.TypeName.names);
  return lastNameOf([object]);
}

/** Byte offset of a statement's first word, after blanks and comments. */
function startOf(sql: string, { stmt_location: at = 0 }: RawStmt): number {
  const before = Buffer.from(sql).subarray(0, at).toString().length;
  return before + (/^(?:\s+|--[^\n]*\n|\/\*[\s\S]*?\*\/)*/.exec(sql.slice(before))?.[0].length ?? 0);
}

function lineAt(sql: string, at: number): number {
  return sql.slice(0, at).split('\n').length;
}
