import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { withClient } from '../stores/databases';
import type { DatabaseService } from '../stores/services';
import { workspaceRoot } from '../workspace-root';
import { grantToApplication } from './grants';
import { migrationFilesOf, migrationsFolder } from './migration-files';

/** A service's database to bring up to date. */
export interface MigrationTarget {
  service: DatabaseService;
  /** Of the role that owns the schema. */
  url: string;
  /** The role that the service runs with. */
  application: string;
}

/**
 * Brings databases up to their services' migrations, and gives their application roles what they may do. One whose applied
 * migrations already equal the files, script for script, costs a few queries. Two callers at once on one database are fine.
 * @returns the names of the migrations that were applied, per service; services with nothing to do are absent
 * @throws Error with Prisma's own words when a migration fails or an earlier one failed
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
 * Applies what is missing of the scripts of folders to databases, by tools/prisma/deploy.mjs, which is a process of its own because the
 * schema engine is an ES module. A script that waits 3 s for a lock gives up; nothing is done of one that fails.
 * @returns the names of those that were applied, in the order of the orders
 * @throws Error in words that name the migration
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
  if (code !== 0) throw new Error(`Migrating failed: ${faults.trim()}`);
  return JSON.parse(output) as string[][];
}
