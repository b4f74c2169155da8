/**
 * `prisma migrate deploy` for several services: `node deploy.mjs`, with a JSON array of `{ "migrations": <folder>,
 * "url": <postgres url> }` on stdin; writes the applied migrations' names as a JSON array of arrays. Safe to run
 * concurrently. A failed migration changes nothing and is applied on the next run.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connectionOf, withClient } from './database.mjs';
import { runsConcurrently, lockWaitMs, openEngine, waitForOtherMs } from './engine.mjs';

const noFilters = { externalTables: [], externalEnums: [] };
/** A closed session holds its locks until the server notices; maximum wait. */
const sessionEndMs = 10_000;
/** Lock under which the engine applies migrations. */
const engineLock = 72707369;
const turnLock = 72707370;
const askAgainMs = 100;
const targets = JSON.parse(readFileSync(0, 'utf8'));
const applied = [];
try {
  for (const target of targets) applied.push(await inTurn(target, () => deploy(target)));
  process.stdout.write(`${JSON.stringify(applied)}\n`, () => process.exit(0));
} catch (error) {
  process.stderr.write(`${error.message ?? error}\n`, () => process.exit(1));
}

/**
 * Polls for the lock: a session waiting inside a statement would block `CREATE INDEX CONCURRENTLY`, which waits for all
 * earlier statements.
 */
function inTurn({ url }, work) {
  return withClient(connectionOf(url), async (client) => {
    const lastMs = Date.now() + waitForOtherMs;
    for (;;) {
      const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS taken', [turnLock]);
      if (rows[0].taken === true) return work();
      if (Date.now() > lastMs) throw new Error(`Another process has been migrating for ${waitForOtherMs / 60_000} minutes. Run it again.`);
      await delay(askAgainMs);
    }
  });
}

async function deploy({ migrations, url }) {
  await withClient(connectionOf(url), forgetFailed);
  const { engine, close } = await openEngine(url, [], (message) => process.stderr.write(`${message}\n`));
  const migrationsList = read(migrations);
  try {
    return (await engine.applyMigrations({ migrationsList, filters: noFilters })).appliedMigrationNames;
  } catch (error) {
    await close();
    const [failed] = await withClient(connectionOf(url), async (client) => {
      const names = await forgetFailed(client, sessionEndMs);
      const isOf = ({ path }) => names.includes(path);
      if (migrationsList.migrationDirectories.some((each) => isOf(each) && runsConcurrently(each.migrationFile.content.value)))
        await dropHalfMade(client);
      return names;
    });
    if (failed === undefined || !/lock timeout/.test(error.message)) throw error;
    const text = `${failed} waited ${lockWaitMs / 1_000} s for a lock that another session holds, and changed nothing. Run it again.`;
    throw new Error(text, { cause: error });
  }
}

/** Marks unfinished migrations as rolled back unless they are running. */
async function forgetFailed(client, waitMs = 0) {
  const table = await client.query(`SELECT to_regclass('_prisma_migrations') IS NOT NULL AS there`);
  if (table.rows[0].there !== true) return [];
  const lastMs = Date.now() + waitMs;
  while ((await client.query('SELECT pg_try_advisory_lock($1) AS taken', [engineLock])).rows[0].taken !== true) {
    if (Date.now() >= lastMs) return [];
    await delay(askAgainMs);
  }
  try {
    const { rows } = await client.query(
      `UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL
       RETURNING migration_name AS name`,
    );
    return rows.map(({ name }) => name);
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [engineLock]);
  }
}

/** Drops invalid indexes left by failed concurrent statements, because their names are needed. */
async function dropHalfMade(client) {
  const { rows } = await client.query(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
       JOIN pg_namespace n ON n.oid = c.relnamespace WHERE NOT i.indisvalid AND n.nspname = 'public' AND c.relkind = 'i'`,
  );
  for (const { name } of rows) await client.query(`DROP INDEX CONCURRENTLY ${name}`);
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
