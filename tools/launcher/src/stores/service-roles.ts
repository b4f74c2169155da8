import type { Client } from 'pg';
import { createDatabaseIfMissing, withClient, withDatabase, withRole } from './databases';
import type { Passwords } from './passwords';
import { databaseServices } from './services';
import type { DatabaseService } from './services';
import { takeOver } from './take-over';

/** The two ways into a service's database. */
export interface DatabaseUrls {
  /** As the role that the service runs with: it reads and writes rows, owns nothing and changes no schema. */
  readonly application: string;
  /** As the role that owns the database and all in it; migrations alone use it. */
  readonly owner: string;
}

export type ServiceUrls = Readonly<Record<DatabaseService, DatabaseUrls>>;

/** One lock for all that make roles on a server; any number that nothing else there uses. */
const ROLES_LOCK = 4_801_338;

/** Where a server says that roles may be made by this one. */
export async function mayMakeRoles(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>(
    'SELECT rolsuper OR rolcreaterole AS may FROM pg_roles WHERE rolname = current_user',
  );
  return rows[0]?.may === true;
}

/**
 * Sees to it that each service has a database of its own, a role that owns it and one that works in it, which no other
 * database lets in. What another role owns in such a database, as before there were two, passes to its owner.
 * @param adminUrl of a role that may make roles and databases
 * @param nameOf name of a service's database and of the role that works in it; the owner's ends with `_owner`
 */
export async function ensureServiceRoles(
  adminUrl: string,
  nameOf: (service: DatabaseService) => string,
  passwordOf: Passwords,
): Promise<ServiceUrls> {
  const urls = {} as Record<DatabaseService, DatabaseUrls>;
  await withClient(withDatabase(adminUrl, 'postgres'), async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [ROLES_LOCK]);
    for (const service of databaseServices) {
      const name = nameOf(service);
      const roles = { application: name, owner: `${name}_owner` };
      for (const role of [roles.owner, roles.application]) await ensureRole(client, role, passwordOf(role));
      await joinOwner(client, roles.owner);
      await createDatabaseIfMissing(client, name, roles.owner);
      await closeDatabase(client, name, roles);
      const database = withDatabase(adminUrl, name);
      await withClient(database, (inside) => takeOver(inside, roles.owner));
      urls[service] = {
        application: withRole(database, roles.application, passwordOf(roles.application)),
        owner: withRole(database, roles.owner, passwordOf(roles.owner)),
      };
    }
  });
  return urls;
}

/** Leaves a database to its owner, and to the application that connects to it; not even temporary tables are for others. */
export async function closeDatabase(
  client: Client,
  database: string,
  { application, owner }: { readonly application: string; readonly owner: string },
): Promise<void> {
  const [name, to, by] = [database, application, owner].map((one) => client.escapeIdentifier(one));
  await client.query(`ALTER DATABASE ${name} OWNER TO ${by}`);
  // In one transaction: nobody who connects meanwhile is turned away.
  await client.query(`REVOKE ALL ON DATABASE ${name} FROM PUBLIC, ${to}; GRANT CONNECT ON DATABASE ${name} TO ${to}`);
}

async function ensureRole(client: Client, role: string, password: string): Promise<void> {
  const known = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
  const verb = known.rowCount === 0 ? 'CREATE' : 'ALTER';
  await client.query(`${verb} ROLE ${client.escapeIdentifier(role)} LOGIN PASSWORD ${client.escapeLiteral(password)}`);
}

/** Whoever is no superuser must be a member of a role to give it a database. */
async function joinOwner(client: Client, owner: string): Promise<void> {
  const { rowCount } = await client.query(
    `SELECT FROM pg_roles WHERE rolname = current_user AND (rolsuper OR pg_has_role(current_user, $1, 'USAGE'))`,
    [owner],
  );
  if (rowCount === 0) await client.query(`GRANT ${client.escapeIdentifier(owner)} TO CURRENT_USER`);
}
