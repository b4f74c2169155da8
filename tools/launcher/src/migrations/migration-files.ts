import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { appFolderOf } from '../stores/services';
import type { DatabaseService } from '../stores/services';
import { workspaceRoot } from '../workspace-root';

/** One migration of a service. */
export interface MigrationFile {
  name: string;
  /** SHA-256 hex of the script, as Prisma keeps it. */
  checksum: string;
}

/** The folder of a service's migrations. */
export function migrationsFolder(service: DatabaseService): string {
  return join(workspaceRoot(), appFolderOf(service), 'prisma', 'migrations');
}

/** A service's migrations in the order they are applied; empty when it has none. */
export function migrationFilesOf(service: DatabaseService): MigrationFile[] {
  const folder = migrationsFolder(service);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, checksum: sha256(readFileSync(join(folder, name, 'migration.sql'))) }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** One digest over all of a service's migrations: it changes when any of them does. */
export function migrationsDigest(service: DatabaseService): string {
  return sha256(JSON.stringify(migrationFilesOf(service)));
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
