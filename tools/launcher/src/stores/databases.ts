import { Client } from 'pg';
import { type DatabaseService, databaseOf, services } from '../services';

const names = Object.keys(services).filter((name) => services[name]?.hasDatabase === true);

/** The services that have a database of their own. */
export const databaseServices: readonly DatabaseService[] = names.map(databaseOf);

/** The folder of a service's app, relative to the top of the workspace. */
export function appFolderOf(service: DatabaseService): string {
  return `apps/${names.find((name) => databaseOf(name) === service)}`;
}

/** Runs some work on a connection of its own. */
export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The same server and role, another database. */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${encodeURIComponent(database)}`;
  return changed.href;
}

/** The same server and database, another role. */
export function withRole(url: string, role: string, password: string): string {
  const changed = new URL(url);
  changed.username = encodeURIComponent(role);
  changed.password = encodeURIComponent(password);
  // As parameters they would count more than these.
  for (const name of ['user', 'password']) changed.searchParams.delete(name);
  return changed.href;
}

/** The user of a URL. */
export function roleOf(url: string): string {
  return decodeURIComponent(new URL(url).username);
}

/** The password in a URL; empty when there is none. */
export function passwordIn(url: string): string {
  return decodeURIComponent(new URL(url).password);
}

/** The database that a URL names; empty when it names none. */
export function databaseIn(url: string): string {
  return decodeURIComponent(new URL(url).pathname.slice(1));
}

/** Creates a database unless it is there. */
export async function createDatabaseIfMissing(client: Client, database: string, owner: string): Promise<void> {
  const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [database]);
  if (found.rowCount !== 0) return;
  await client
    .query(`CREATE DATABASE ${client.escapeIdentifier(database)} OWNER ${client.escapeIdentifier(owner)}`)
    .catch((error: { code?: string }) => {
      // 42P04 and 23505: another launcher made it in between.
      if (error.code !== '42P04' && error.code !== '23505') throw error;
    });
}
