import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';
import { withClient } from '../stores/databases';
import { appFolderOf } from '../stores/services';
import type { DatabaseService } from '../stores/services';
import { workspaceRoot } from '../workspace-root';

/** What a role may do with the rows of a table. */
export type Privilege = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE';

/** In a table that a service's list doesn't name, its application reads and writes rows. */
const ALL: readonly Privilege[] = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

/** Prisma's own list of migrations. */
const MIGRATIONS_TABLE = '_prisma_migrations';

/** One lock for all that grant in a database; any number that nothing else there uses. */
const GRANTS_LOCK = 4_801_339;

/** `prisma/privileges.json` of a service: what its application may do with tables in which it may not do everything. */
export function narrowedPrivileges(service: DatabaseService): Readonly<Record<string, readonly Privilege[]>> {
  const file = join(workspaceRoot(), appFolderOf(service), 'prisma', 'privileges.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, readonly Privilege[]>) : {};
}

/** Tables with what the application has of them beyond or short of `wanted`. Days and hours of a partitioned table are reached through it. */
const TABLES = `
  SELECT relname AS name, coalesce(array_agg(DISTINCT acl.privilege_type) FILTER (WHERE acl.grantee = application.oid), '{}') AS held,
    coalesce(bool_or(acl.grantee = 0), false) AS is_public
  FROM pg_class JOIN pg_roles AS application ON application.rolname = $1
  LEFT JOIN LATERAL aclexplode(relacl) AS acl ON true
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm') AND NOT (relispartition AND relkind = 'r')
  GROUP BY relname ORDER BY relname`;

/** Functions that are called by name, rather than by a trigger. */
const FUNCTIONS = `
  SELECT oid::regprocedure::text AS name FROM pg_proc
  WHERE pronamespace = 'public'::regnamespace AND prorettype <> 'trigger'::regtype
    AND (NOT has_function_privilege($1, oid, 'EXECUTE') OR proacl IS NULL OR EXISTS (SELECT FROM aclexplode(proacl) WHERE grantee = 0))`;

/**
 * Gives the application role of a database the privileges that its service's list says, in place of any others: tables that a
 * migration added get theirs here. With nothing to change it costs three queries.
 * @param ownerUrl of the role that owns the tables
 * @throws Error when the application could still make objects in schema public
 */
export function grantToApplication(service: DatabaseService, ownerUrl: string, application: string): Promise<void> {
  const narrowed = narrowedPrivileges(service);
  return withClient(ownerUrl, async (client) => {
    const statements = await statementsOf(client, application, narrowed);
    if (statements.length > 0) {
      await client.query('BEGIN');
      await client.query('SELECT pg_advisory_xact_lock($1)', [GRANTS_LOCK]);
      for (const statement of await statementsOf(client, application, narrowed)) await client.query(statement);
      await client.query('COMMIT');
    }
    const { rows } = await client.query<{ may: boolean }>(`SELECT has_schema_privilege($1, 'public', 'CREATE') AS may`, [application]);
    if (rows[0]?.may === true) throw new Error(`The role ${application} may make tables in schema public of the database of ${service}. Revoke that: REVOKE CREATE ON SCHEMA public FROM PUBLIC`);
  });
}

async function statementsOf(client: Client, application: string, narrowed: Readonly<Record<string, readonly Privilege[]>>): Promise<string[]> {
  const role = client.escapeIdentifier(application);
  const [schema, tables, functions] = [
    await client.query(`SELECT FROM pg_namespace WHERE nspname = 'public' AND (EXISTS (SELECT FROM aclexplode(nspacl) WHERE grantee = 0) OR NOT has_schema_privilege($1, oid, 'USAGE'))`, [application]),
    await client.query<{ name: string; held: string[]; is_public: boolean }>(TABLES, [application]),
    await client.query<{ name: string }>(FUNCTIONS, [application]),
  ];
  return [
    ...(schema.rowCount === 0 ? [] : ['REVOKE ALL ON SCHEMA public FROM PUBLIC', `GRANT USAGE ON SCHEMA public TO ${role}`]),
    ...tables.rows.flatMap(({ name, held, is_public: isPublic }) => {
      const wanted = name === MIGRATIONS_TABLE ? [] : (narrowed[name] ?? ALL);
      if (!isPublic && [...held].sort().join() === [...wanted].sort().join()) return [];
      const table = `public.${client.escapeIdentifier(name)}`;
      return [`REVOKE ALL ON ${table} FROM PUBLIC, ${role}`, ...(wanted.length === 0 ? [] : [`GRANT ${wanted.join(', ')} ON ${table} TO ${role}`])];
    }),
    ...functions.rows.flatMap(({ name }) => [`REVOKE ALL ON FUNCTION ${name} FROM PUBLIC`, `GRANT EXECUTE ON FUNCTION ${name} TO ${role}`]),
  ];
}
