import { createHash } from 'node:crypto';

/** A migration as it is in the repository: its name and its script. */
export interface MigrationScript {
  readonly name: string;
  readonly sql: string;
}

/** How far migrations go, and a SHA-256 (hex) over names and scripts, which changes when any does. @throws Error when there are none */
export function recordOfMigrations(migrations: readonly MigrationScript[]): { readonly last: string; readonly sha256: string } {
  const last = migrations.at(-1)?.name;
  if (last === undefined) throw new Error('A service with a database has no migration.');
  const hash = createHash('sha256');
  for (const { name, sql } of migrations) hash.update(JSON.stringify([name, sql]));
  return { last, sha256: hash.digest('hex') };
}
