import type { Client } from 'pg';
import { createDatabaseIfMissing, databaseIn, roleOf, withClient, withDatabase, databaseServices } from './databases';
import {
  type Passwords,
  closeDatabase,
  type DatabaseUrls,
  ensureServiceRoles,
  mayMakeRoles,
  type ServiceUrls,
  takeOver,
} from './service-roles';
import type { DatabaseService } from '../services';

/** A PostgreSQL server that is not ours. */
export interface GivenDatabase {
  /** Of a role that may make roles and databases; beside `ownerUrl`, of the role that the services run with. */
  readonly url: string;
  /** Of the role that owns the databases, where the operator has made both. */
  readonly ownerUrl?: string | undefined;
}

/**
 * Sees to it that each service has a database on a server that is not ours: `<name>_<service>`, after the database that the URL
 * names. With one URL its role makes an owner and an application role for each; with two, these are the roles of all.
 * @throws Error that says what the operator has to do when the roles are not fit
 */
export function ensureGivenDatabases({ url, ownerUrl }: GivenDatabase, passwordOf: Passwords): Promise<ServiceUrls> {
  const name = databaseIn(url) || 'market_state';
  return ownerUrl === undefined ? makeRoles(url, name, passwordOf) : useRoles(url, ownerUrl, name);
}

async function makeRoles(url: string, name: string, passwordOf: Passwords): Promise<ServiceUrls> {
  if (!(await withClient(withDatabase(url, 'postgres'), mayMakeRoles))) {
    throw new Error(
      `The role ${roleOf(url)} of DATABASE_URL may not make roles. Either let it (ALTER ROLE … CREATEROLE CREATEDB), ` +
        `or make an owner and an\n` +
        'application role yourself and name them in MIGRATION_DATABASE_URL and DATABASE_URL:\n' +
        `  CREATE ROLE market_state_owner LOGIN CREATEDB PASSWORD '…';\n  CREATE ROLE market_state_app LOGIN PASSWORD '…';`,
    );
  }
  return ensureServiceRoles(url, (service) => `${name}_${service}`, passwordOf);
}

async function useRoles(url: string, ownerUrl: string, name: string): Promise<ServiceUrls> {
  const roles = { application: roleOf(url), owner: roleOf(ownerUrl) };
  const urls = {} as Record<DatabaseService, DatabaseUrls>;
  await withClient(withDatabase(ownerUrl, 'postgres'), async (client) => {
    await refuseUnfit(client, roles);
    for (const service of databaseServices) {
      const database = `${name}_${service}`;
      await createDatabaseIfMissing(client, database, roles.owner);
      await closeDatabase(client, database, roles);
      await withClient(withDatabase(ownerUrl, database), (inside) => takeOver(inside, roles.owner));
      urls[service] = { application: withDatabase(url, database), owner: withDatabase(ownerUrl, database) };
    }
  });
  return urls;
}

/** An application role that could make itself the owner would not be one. */
async function refuseUnfit(
  client: Client,
  { application, owner }: { readonly application: string; readonly owner: string },
): Promise<void> {
  const { rows } = await client.query<{ is_unfit: boolean }>(
    `SELECT rolsuper OR rolcreaterole OR rolname = $2 OR pg_has_role(rolname, $2, 'MEMBER') AS is_unfit FROM pg_roles WHERE rolname = $1`,
    [application, owner],
  );
  if (rows[0]?.is_unfit === false) return;
  throw new Error(
    `The role ${application} of DATABASE_URL is to read and write rows and nothing more: it must be another role than ${owner} of ` +
      `MIGRATION_DATABASE_URL,\n` +
      'no member of it, no superuser, and may not make roles.',
  );
}
