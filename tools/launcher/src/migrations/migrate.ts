import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Client } from 'pg';
import { withClient, appFolderOf } from '../stores/databases';
import type { DatabaseService } from '../services';
import { workspaceRoot } from '../workspace-root';

type Privilege = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE';

const ALL: readonly Privilege[] = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

const MIGRATIONS_TABLE = '_prisma_migrations';

/** Unused in every database: an archiver holds 4801338 (data plane) or 4801339 (labeling) for as long as it runs. */
const GRANTS_LOCK = 4_801_340;

/** @throws Error if `prisma/privileges.json` is missing, because the application would get too many privileges */
export function narrowedPrivileges(service: DatabaseService): Readonly<Record<string, readonly Privilege[]>> {
  const file = join(workspaceRoot(), appFolderOf(service), 'prisma', 'privileges.json');
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, readonly Privilege[]>;
}

const TABLES = `
  SELECT relname AS name, coalesce(array_agg(DISTINCT acl.privilege_type) FILTER (WHERE acl.grantee = application.oid), '{}') AS held,
    coalesce(bool_or(acl.grantee = 0), false) AS is_public
  FROM pg_class JOIN pg_roles AS application ON application.rolname = $1
  LEFT JOIN LATERAL aclexplode(relacl) AS acl ON true
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm') AND NOT (relispartition AND relkind = 'r')
  GROUP BY relname ORDER BY relname`;

const FUNCTIONS = `
  SELECT oid::regprocedure::text AS name FROM pg_proc
  WHERE pronamespace = 'public'::regnamespace AND prorettype <> 'trigger'::regtype
    AND (NOT has_function_privilege($1, oid, 'EXECUTE') OR proacl IS NULL OR EXISTS (SELECT FROM aclexplode(proacl) WHERE grantee = 0))`;

/**
 * Costs three queries if nothing changes.
 * @param ownerUrl of the role that owns the tables
 * @throws Error if the list names an unknown table, or the role has excessive rights
 */
export function grantToApplication(
  service: DatabaseService,
  ownerUrl: string,
  application: string,
  narrowed = narrowedPrivileges(service),
): Promise<void> {
  return withClient(ownerUrl, async (client) => {
    const statements = await statementsOf(client, application, narrowed);
    if (statements.length > 0) {
      await client.query('BEGIN');
      await client.query('SELECT pg_advisory_xact_lock($1)', [GRANTS_LOCK]);
      for (const statement of await statementsOf(client, application, narrowed)) await client.query(statement);
      await client.query('COMMIT');
    }
    const { rows } = await client.query<{ may: boolean }>(`SELECT has_schema_privilege($1, 'public', 'CREATE') AS may`, [application]);
    await refuseStrongRole(client, application);
    if (rows[0]?.may === true)
      throw new Error(
        `The role ${application} may make tables in schema public of the database of ${service}. Revoke that: REVOKE CREATE ON SCHEMA
          public FROM PUBLIC`,
      );
  });
}

const STRENGTHS = {
  rolsuper: 'SUPERUSER',
  rolcreaterole: 'CREATEROLE',
  rolcreatedb: 'CREATEDB',
  rolreplication: 'REPLICATION',
  rolbypassrls: 'BYPASSRLS',
} as const;

async function refuseStrongRole(client: Client, application: string): Promise<void> {
  const { rows } = await client.query<Record<keyof typeof STRENGTHS, boolean> & { readonly member_of: string[]; readonly owned: string[] }>(
    `SELECT rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
       ARRAY(SELECT pg_get_userbyid(roleid)::text FROM pg_auth_members WHERE member = role.oid ORDER BY 1) AS member_of,
       ARRAY(SELECT relname::text FROM pg_class WHERE relowner = role.oid ORDER BY 1 LIMIT 5) AS owned
     FROM pg_roles AS role WHERE rolname = $1`,
    [application],
  );
  const [role] = rows;
  if (role === undefined) return;
  const faults = [
    ...Object.entries(STRENGTHS).flatMap(([column, name]) => (role[column as keyof typeof STRENGTHS] ? [`has ${name}`] : [])),
    ...role.member_of.map((name) => `is a member of ${name}`),
    ...role.owned.map((name) => `owns ${name}`),
  ];
  if (faults.length > 0)
    throw new Error(
      `The role ${application} ${faults.join(', ')}. A service's role must only be able to read and write ` + `rows of its own database.`,
    );
}

async function statementsOf(
  client: Client,
  application: string,
  narrowed: Readonly<Record<string, readonly Privilege[]>>,
): Promise<string[]> {
  const role = client.escapeIdentifier(application);
  const [schema, tables, functions] = [
    await client.query(
      `SELECT FROM pg_namespace WHERE nspname = 'public' AND (EXISTS (SELECT FROM aclexplode(nspacl) WHERE grantee = 0)
        OR NOT has_schema_privilege($1, oid, 'USAGE'))`,
      [application],
    ),
    await client.query<{ name: string; held: string[]; is_public: boolean }>(TABLES, [application]),
    await client.query<{ name: string }>(FUNCTIONS, [application]),
  ];
  const unknown = Object.keys(narrowed).filter((name) => !tables.rows.some((table) => table.name === name));
  if (unknown.length > 0) throw new Error(`privileges.json names tables that the database does not have: ${unknown.join(', ')}.`);
  return [
    ...(schema.rowCount === 0 ? [] : ['REVOKE ALL ON SCHEMA public FROM PUBLIC', `GRANT USAGE ON SCHEMA public TO ${role}`]),
    ...tables.rows.flatMap(({ name, held, is_public: isPublic }) => {
      const wanted = name === MIGRATIONS_TABLE ? [] : (narrowed[name] ?? ALL);
      if (!isPublic && [...held].sort().join() === [...wanted].sort().join()) return [];
      const table = `public.${client.escapeIdentifier(name)}`;
      return [
        `REVOKE ALL ON ${table} FROM PUBLIC, ${role}`,
        ...(wanted.length === 0 ? [] : [`GRANT ${wanted.join(', ')} ON ${table} TO ${role}`]),
      ];
    }),
    ...functions.rows.flatMap(({ name }) => [`REVOKE ALL ON FUNCTION ${name} FROM PUBLIC`, `GRANT EXECUTE ON FUNCTION ${name} TO ${role}`]),
  ];
}

interface MigrationFile {
  name: string;
  /** SHA-256 hex of the script, as Prisma stores it. */
  checksum: string;
}

export function migrationsFolder(service: DatabaseService): string {
  return join(workspaceRoot(), appFolderOf(service), 'prisma', 'migrations');
}

export function migrationFilesOf(service: DatabaseService): MigrationFile[] {
  const folder = migrationsFolder(service);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, checksum: sha256(readFileSync(join(folder, name, 'migration.sql'))) }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

export function migrationsDigest(service: DatabaseService): string {
  return sha256(JSON.stringify(migrationFilesOf(service)));
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

export interface MigrationTarget {
  service: DatabaseService;
  url: string;
  application: string;
}

/**
 * Safe to run concurrently.
 * @returns the applied migrations by service
 * @throws Error with Prisma's message if a migration fails or an earlier one failed
 */
export async function migrate(targets: MigrationTarget[]): Promise<Partial<Record<DatabaseService, string[]>>> {
  const states = await Promise.all(targets.map(isUpToDate));
  const behind = targets.filter((_target, at) => !states[at]);
  const orders = behind.map(({ service, url }) => ({ migrations: migrationsFolder(service), url }));
  const applied = behind.length === 0 ? [] : await deployMigrations(orders);
  await Promise.all(targets.map(({ service, url, application }) => grantToApplication(service, url, application)));
  return Object.fromEntries(behind.map(({ service }, at) => [service, applied[at] ?? []]));
}

async function isUpToDate({ service, url }: MigrationTarget): Promise<boolean> {
  const files = migrationFilesOf(service);
  if (files.length === 0) return true;
  return withClient(url, async (client) => {
    const table = await client.query(`SELECT to_regclass('_prisma_migrations') IS NOT NULL AS there`);
    if (table.rows[0]?.there !== true) return false;
    const { rows } = await client.query<{ name: string; checksum: string; done: boolean }>(
      `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS done
       FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY migration_name COLLATE "C"`,
    );
    return (
      rows.length === files.length &&
      rows.every((row, at) => row.done && row.name === files[at]?.name && row.checksum === files[at]?.checksum)
    );
  });
}

/**
 * Uses tools/prisma/deploy.mjs, a separate process because the schema engine is an ES module.
 * @throws Error naming the migration
 */
export async function deployMigrations(orders: readonly { readonly migrations: string; readonly url: string }[]): Promise<string[][]> {
  const script = join(workspaceRoot(), 'tools', 'prisma', 'deploy.mjs');
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'pipe'], cwd: workspaceRoot() });
  child.stdin.end(JSON.stringify(orders));
  const [output, faults, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve)),
  ]);
  if (code !== 0) throw new Error(`Migration failed: ${faults.trim()}`);
  return JSON.parse(output) as string[][];
}
