import { Client } from 'pg';
import { databaseServices } from './services';
import type { DatabaseService } from './services';

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
  return changed.href;
}

/**
 * Sees to it that each service has its role, with this password, and its database, which no other service's role can enter.
 * @returns each service's URL
 */
export async function ensureOwnDatabases(
  adminUrl: string,
  passwordOf: (role: string) => string,
): Promise<Record<DatabaseService, string>> {
  return withClient(adminUrl, async (client) => {
    const urls = {} as Record<DatabaseService, string>;
    for (const service of databaseServices) {
      const password = passwordOf(service);
      const known = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [service]);
      const verb = known.rowCount === 0 ? 'CREATE' : 'ALTER';
      await client.query(`${verb} ROLE ${service} LOGIN PASSWORD ${client.escapeLiteral(password)}`);
      await createDatabaseIfMissing(client, service, service);
      await client.query(`REVOKE ALL ON DATABASE ${service} FROM PUBLIC`);
      urls[service] = withRole(withDatabase(adminUrl, service), service, password);
    }
    return urls;
  });
}

/**
 * Sees to it that each service has a database on a server that is not ours: `<name>_<service>`, after the database that
 * the URL names, with the URL's own role.
 * @returns each service's URL
 */
export async function ensureDatabasesOn(url: string): Promise<Record<DatabaseService, string>> {
  const name = decodeURIComponent(new URL(url).pathname.slice(1)) || 'market_state';
  const urls = {} as Record<DatabaseService, string>;
  for (const service of databaseServices) urls[service] = withDatabase(url, `${name}_${service}`);
  const missing: string[] = [];
  for (const service of databaseServices) {
    const exists = await withClient(urls[service], async () => true).catch((error: { code?: string }) => {
      if (error.code === '3D000') return false;
      throw error;
    });
    if (!exists) missing.push(`${name}_${service}`);
  }
  if (missing.length > 0) {
    await withClient(withDatabase(url, 'postgres'), async (client) => {
      for (const database of missing) await createDatabaseIfMissing(client, database);
    });
  }
  return urls;
}

async function createDatabaseIfMissing(client: Client, database: string, owner?: string): Promise<void> {
  const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [database]);
  if (found.rowCount !== 0) return;
  const suffix = owner === undefined ? '' : ` OWNER ${client.escapeIdentifier(owner)}`;
  await client.query(`CREATE DATABASE ${client.escapeIdentifier(database)}${suffix}`).catch((error: { code?: string }) => {
    // 42P04: another launcher made it in between.
    if (error.code !== '42P04') throw error;
  });
}
