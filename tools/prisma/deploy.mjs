/**
 * What `prisma migrate deploy` does, for several services in one process: `node deploy.mjs`, with a JSON array of
 * `{ "migrations": <folder>, "url": <postgres url> }` on stdin. Writes the applied migrations' names as a JSON array of
 * arrays, in the same order; on a failure, one line on stderr and exit code 1. Two at once on one database are fine: one
 * applies, the other waits and finds nothing to do.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from './engine.mjs';

const noFilters = { externalTables: [], externalEnums: [] };
const targets = JSON.parse(readFileSync(0, 'utf8'));
const applied = [];
try {
  for (const { migrations, url } of targets) {
    const engine = await openEngine(url, [], (message) => process.stderr.write(`${message}\n`));
    const result = await engine.applyMigrations({ migrationsList: read(migrations), filters: noFilters });
    applied.push(result.appliedMigrationNames);
  }
  process.stdout.write(`${JSON.stringify(applied)}\n`, () => process.exit(0));
} catch (error) {
  process.stderr.write(`${error.message ?? error}\n`, () => process.exit(1));
}

function read(folder) {
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return {
    baseDir: folder,
    lockfile: { path: 'migration_lock.toml', content: readFileSync(join(folder, 'migration_lock.toml'), 'utf8') },
    shadowDbInitScript: '',
    migrationDirectories: names
      .map(({ name }) => ({
        path: name,
        migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: readFileSync(join(folder, name, 'migration.sql'), 'utf8') } },
      }))
      .sort((one, other) => (one.path < other.path ? -1 : 1)),
  };
}
