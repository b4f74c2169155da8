import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';
import { createDatabaseIfMissing, databaseIn, passwordIn, roleOf, withClient, withDatabase, withRole, databaseServices } from './databases';
import type { DatabaseService } from '../services';

const STATEMENTS = `
  WITH owner AS (SELECT oid, rolname AS name FROM pg_roles WHERE rolname = $1)
  SELECT format('ALTER TABLE public.%I OWNER TO %I', relname, owner.name) AS statement
  FROM pg_class, owner WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relowner <> owner.oid
  UNION ALL
  SELECT format('ALTER SEQUENCE public.%I OWNER TO %I', relname, owner.name)
  FROM pg_class, owner WHERE relnamespace = 'public'::regnamespace AND relkind = 'S' AND relowner <> owner.oid
    AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype IN ('a', 'i'))
  UNION ALL
  SELECT format('ALTER TYPE public.%I OWNER TO %I', typname, owner.name)
  FROM pg_type, owner WHERE typnamespace = 'public'::regnamespace AND typtype IN ('e', 'd') AND typowner <> owner.oid
  UNION ALL
  SELECT format('ALTER ROUTINE %s OWNER TO %I', pg_proc.oid::regprocedure, owner.name)
  FROM pg_proc, owner WHERE pronamespace = 'public'::regnamespace AND proowner <> owner.oid`;

/** Transfers another role's objects in schema public to the owner: an upgrade from installations with one role. */
export async function takeOver(client: Client, owner: string): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(STATEMENTS, [owner]);
  if (rows.length === 0) return;
  await client.query('BEGIN');
  for (const { statement } of rows) await client.query(statement);
  await client.query('COMMIT');
}

/** Returns a role's password, generated (32 random bytes) on first use. */
export type Passwords = (role: string) => string;

export function openPasswords(folder: string): Passwords {
  const file = join(folder, 'passwords.json');
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>) : {};
  return (role) => {
    const password = known[role] ?? randomBytes(32).toString('base64url');
    if (known[role] === undefined) {
      known[role] = password;
      writeFileSync(`${file}.new`, JSON.stringify(known), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    }
    return password;
  };
}

export interface DatabaseUrls {
  /** Service role: reads and writes rows, owns nothing, cannot change the schema. */
  readonly application: string;
  /** Owner of the database and everything in it; used only by migrations. */
  readonly owner: string;
}

export type ServiceUrls = Readonly<Record<DatabaseService, DatabaseUrls>>;

/** Any number unused on the server. */
const ROLES_LOCK = 4_801_338;

export async function mayMakeRoles(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>(
    'SELECT rolsuper OR rolcreaterole AS may FROM pg_roles WHERE rolname = current_user',
  );
  return rows[0]?.may === true;
}

/**
 * Ensures that each service has its own database, an owner role and an application role.
 * @param adminUrl of a role that may create roles and databases
 * @param nameOf name of a service's database and application role; the owner's ends with `_owner`
 */
export async function ensureServiceRoles(
  adminUrl: string,
  nameOf: (service: DatabaseService) => string,
  passwordOf: Passwords,
): Promise<ServiceUrls> {
  const urls = {} as Record<DatabaseService, DatabaseUrls>;
  for (const service of databaseServices) {
    const name = nameOf(service);
    const [database, owner] = [withDatabase(adminUrl, name), `${name}_owner`];
    urls[service] = {
      application: withRole(database, name, passwordOf(name)),
      owner: withRole(database, owner, passwordOf(owner)),
    };
  }
  await ensureDatabases(adminUrl, Object.values(urls));
  return urls;
}

/** @param adminUrl of a role that may create roles and databases */
export async function ensureDatabases(adminUrl: string, wanted: readonly DatabaseUrls[]): Promise<void> {
  await withClient(withDatabase(adminUrl, 'postgres'), async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [ROLES_LOCK]);
    for (const { application, owner } of wanted) {
      const [name, roles] = [databaseIn(application), { application: roleOf(application), owner: roleOf(owner) }];
      await ensureRole(client, roles.owner, passwordIn(owner));
      await ensureRole(client, roles.application, passwordIn(application));
      await joinOwner(client, roles.owner);
      await createDatabaseIfMissing(client, name, roles.owner);
      await closeDatabase(client, name, roles);
      await withClient(withDatabase(adminUrl, name), (inside) => takeOver(inside, roles.owner));
    }
  });
}

/** Other roles cannot even create temporary tables. */
export async function closeDatabase(
  client: Client,
  database: string,
  { application, owner }: { readonly application: string; readonly owner: string },
): Promise<void> {
  const [name, to, by] = [database, application, owner].map((one) => client.escapeIdentifier(one));
  await client.query(`ALTER DATABASE ${name} OWNER TO ${by}`);
  // In one transaction, so that no concurrent connection is rejected.
  await client.query(`REVOKE ALL ON DATABASE ${name} FROM PUBLIC, ${to}; GRANT CONNECT ON DATABASE ${name} TO ${to}`);
}

async function ensureRole(client: Client, role: string, password: string): Promise<void> {
  const known = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
  const verb = known.rowCount === 0 ? 'CREATE' : 'ALTER';
  await client.query(`${verb} ROLE ${client.escapeIdentifier(role)} LOGIN PASSWORD ${client.escapeLiteral(password)}`);
}

/** Only a superuser can assign a database to a role without being a member of it. */
async function joinOwner(client: Client, owner: string): Promise<void> {
  const { rowCount } = await client.query(
    `SELECT FROM pg_roles WHERE rolname = current_user AND (rolsuper OR pg_has_role(current_user, $1, 'USAGE'))`,
    [owner],
  );
  if (rowCount === 0) await client.query(`GRANT ${client.escapeIdentifier(owner)} TO CURRENT_USER`);
}
