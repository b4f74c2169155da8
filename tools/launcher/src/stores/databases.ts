import { Client } from 'pg';
import { type DatabaseService, databaseOf, services } from '../services';

const names = Object.keys(services).filter((name) => services[name]?.hasDatabase === true);

export const databaseServices: readonly DatabaseService[] = names.map(databaseOf);

export function appFolderOf(service: DatabaseService): string {
  return `apps/${names.find((name) => databaseOf(name) === service)}`;
}

export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${encodeURIComponent(database)}`;
  return changed.href;
}

export function withRole(url: string, role: string, password: string): string {
  const changed = new URL(url);
  changed.username = encodeURIComponent(role);
  changed.password = encodeURIComponent(password);
  // Query parameters would take precedence.
  for (const name of ['user', 'password']) changed.searchParams.delete(name);
  return changed.href;
}

export function roleOf(url: string): string {
  return decodeURIComponent(new URL(url).username);
}

export function passwordIn(url: string): string {
  return decodeURIComponent(new URL(url).password);
}

export function databaseIn(url: string): string {
  return decodeURIComponent(new URL(url).pathname.slice(1));
}

export async function createDatabaseIfMissing(client: Client, database: string, owner: string): Promise<void> {
  const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [database]);
  if (found.rowCount !== 0) return;
  await client
    .query(`CREATE DATABASE ${client.escapeIdentifier(database)} OWNER ${client.escapeIdentifier(owner)}`)
    .catch((error: { code?: string }) => {
      // 42P04 and 23505: another launcher created it in the meantime.
      if (error.code !== '42P04' && error.code !== '23505') throw error;
    });
}
