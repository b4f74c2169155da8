import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from 'pg';
import { deployMigrations, grantToApplication, migrationsFolder } from '../src/migrations/migrate';
import { withClient, withDatabase } from '../src/stores/databases';
import { sharedServer } from './fixtures/shared-server';

let folder: string;
let url: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'market-state-migrations-'));
  const { adminUrl } = await sharedServer();
  cpSync(join(migrationsFolder('export'), 'migration_lock.toml'), join(folder, 'migration_lock.toml'));
  url = withDatabase(adminUrl, 'locked');
  await withClient(adminUrl, (client) => client.query('CREATE DATABASE locked'));
  write(
    '0001_first',
    'CREATE TABLE "held" ("id" INT PRIMARY KEY); CREATE TABLE "free" ("id" INT PRIMARY KEY); INSERT INTO "held" VALUES (1), (2);',
  );
  await deploy();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, sql: string): void {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, 'migration.sql'), sql);
}

const deploy = (): Promise<string[][]> => deployMigrations([{ migrations: folder, url }]);

const query = (client: Client, sql: string) => client.query<Record<string, unknown>>(sql).then(({ rows }) => rows);

function whileLeased<T>(work: () => Promise<T>): Promise<T> {
  return withClient(url, async (client) => {
    await client.query('BEGIN');
    await client.query('SELECT FROM "held"');
    return work();
  });
}

test('a migration that cannot get its lock gives up with a message, changes nothing, and is applied on the next run', async () => {
  write('0002_second', 'ALTER TABLE "free" ADD COLUMN "more" TEXT; ALTER TABLE "held" ADD COLUMN "more" TEXT;');
  await expect(whileLeased(deploy)).rejects.toThrow(
    '0002_second waited 3 s for a lock that another session holds, and changed nothing. Run it again.',
  );
  const columns = `SELECT table_name FROM information_schema.columns WHERE column_name = 'more' ORDER BY 1`;
  expect(await withClient(url, (client) => query(client, columns))).toEqual([]);
  expect(await deploy()).toEqual([['0002_second']]);
  expect(await withClient(url, (client) => query(client, columns))).toEqual([{ table_name: 'free' }, { table_name: 'held' }]);
});

test('an index that could not be created is dropped and created on the next run, as is a killed one', async () => {
  write('0003_index', '-- No two alike.\nCREATE UNIQUE INDEX CONCURRENTLY "held_half" ON "held" (("id" / 2 * 0));');
  await expect(deploy()).rejects.toThrow('held_half');
  const indexes = `SELECT indexrelid::regclass::text AS name FROM pg_index WHERE NOT indisvalid`;
  expect(await withClient(url, (client) => query(client, indexes))).toEqual([]);
  write('0004_killed', 'ALTER TABLE "free" ADD COLUMN "other" TEXT;');
  await withClient(url, async (client) => {
    await client.query('DELETE FROM "held" WHERE id = 2');
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, applied_steps_count) VALUES ('k', 'c', '0004_killed', now(), 0)`,
    );
  });
  expect(await deploy()).toEqual([['0003_index', '0004_killed']]);
});

/** Held by the archivers of data plane and labeling for as long as they run. */
test.each([4_801_338, 4_801_339])('privileges are granted while an archiver of the release before holds its lock %i', async (lock) => {
  await withClient(url, async (client) => {
    await client.query(`CREATE ROLE reader_${lock}`);
    await client.query('SELECT pg_advisory_lock($1)', [lock]);
    await grantToApplication('export', url, `reader_${lock}`, {});
    expect(await query(client, `SELECT has_table_privilege('reader_${lock}', 'free', 'SELECT') AS may`)).toEqual([{ may: true }]);
  });
});
