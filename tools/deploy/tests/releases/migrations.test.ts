import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { appFolderOf, databaseServices, workspaceRoot } from '@market-state/launcher';
import { type MigrationScript, recordOfMigrations, lastRelease, readReleases } from '../../src/releases/releases';
import { createMade } from './alter-table';
import { migrationFaults } from './migration-faults';

const released = readReleases(workspaceRoot()).map(({ version }) => version);
const { migrations: recorded, version: lastVersion } = lastRelease(workspaceRoot());

function scriptsOf(service: (typeof databaseServices)[number]): MigrationScript[] {
  const folder = join(workspaceRoot(), appFolderOf(service), 'prisma', 'migrations');
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return names
    .map(({ name }) => ({ name, sql: readFileSync(join(folder, name, 'migration.sql'), 'utf8') }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

test.each(databaseServices)('migrations of %s in the last release are unchanged', (service) => {
  const known = recorded[service];
  const old = scriptsOf(service).filter(({ name }) => known !== undefined && name <= known.last);
  expect(known === undefined ? undefined : recordOfMigrations(old)).toEqual(known);
});

test.each(databaseServices)('the last release can use the database of %s with every later migration', async (service) => {
  const made = createMade();
  const faults: string[] = [];
  for (const { name, sql } of scriptsOf(service)) {
    if (name <= (recorded[service]?.last ?? '')) continue;
    for (const fault of await migrationFaults(sql, made, released)) faults.push(`${service} ${name}, ${fault}`);
  }
  expect(faults).toEqual([]);
});

const faultsOf = (sql: string): Promise<string[]> => migrationFaults(sql, createMade(), released);

test.each([
  [
    'CREATE TABLE a (id INT PRIMARY KEY, b TEXT NOT NULL CHECK (b <> $$$$)); CREATE UNIQUE INDEX ai ON a (b); ALTER TABLE a ALTER COLUMN b DROP NOT NULL; DROP TABLE a',
  ],
  ['ALTER TABLE packet ADD COLUMN more TEXT, ADD COLUMN at TIMESTAMPTZ NOT NULL DEFAULT now(), ADD COLUMN n INT NOT NULL DEFAULT 0'],
  [
    'ALTER TABLE packet ADD COLUMN more TEXT; ALTER TABLE packet ADD CONSTRAINT c CHECK (more <> $$$$) NOT VALID; ALTER TABLE packet DROP COLUMN more',
  ],
  ['ALTER TABLE api_key ADD COLUMN x TEXT REFERENCES tenant (id)'],
  ['CREATE INDEX CONCURRENTLY i ON packet (sequence)'],
  ['CREATE INDEX i ON ONLY log_entry (symbol)'],
  ['DROP TRIGGER t ON api_key; CREATE TRIGGER t AFTER UPDATE ON api_key FOR EACH ROW EXECUTE FUNCTION f()'],
  ['CREATE OR REPLACE FUNCTION f() RETURNS INT LANGUAGE sql AS $$ SELECT 1 $$; SELECT f(); INSERT INTO plan VALUES (1)'],
  [
    'ALTER TABLE packet VALIDATE CONSTRAINT c; ALTER TABLE packet SET (fillfactor = 90); ALTER TABLE packet ALTER COLUMN body SET STORAGE EXTERNAL',
  ],
  ["ALTER TYPE mail_kind ADD VALUE 'receipt'; COMMENT ON TABLE packet IS 'one a window'"],
  ['ALTER INDEX i RENAME TO j'],
])('the last release is compatible with %s', async (sql) => {
  expect(await faultsOf(sql)).toEqual([]);
});

test.each([
  ['ALTER TABLE packet DROP COLUMN body', 'drops the column packet.body'],
  ['DROP TABLE packet', 'drops the table packet'],
  ['DROP VIEW v; ', 'drops the view v'],
  ['DROP FUNCTION public.event_facts', 'drops the function event_facts'],
  ['DROP TYPE mail_kind', 'drops the type mail_kind'],
  ['DROP INDEX message_created_ms_idx', 'drops the index message_created_ms_idx'],
  ['DROP TRIGGER t ON api_key', 'drops the trigger t'],
  ['ALTER TABLE tenant DROP CONSTRAINT tenant_plan_known', 'drops the constraint tenant_plan_known of tenant'],
  ['ALTER TABLE packet RENAME TO packets', 'renames the table packet'],
  ['ALTER TABLE packet RENAME COLUMN body TO text', 'renames the column packet.body'],
  ['ALTER FUNCTION f() RENAME TO g', 'renames the function f'],
  ["ALTER TYPE mail_kind RENAME VALUE 'reset' TO 'again'", 'renames the value reset'],
  ['ALTER TABLE packet ALTER COLUMN body SET NOT NULL', 'makes packet.body NOT NULL'],
  ['ALTER TABLE packet ALTER COLUMN body DROP NOT NULL', 'lets packet.body be null'],
  ['ALTER TABLE packet ALTER COLUMN body DROP DEFAULT', 'drops the default of packet.body'],
  ['ALTER TABLE packet ADD CONSTRAINT c CHECK (body <> $$$$) NOT VALID', 'adds the constraint c to packet'],
  ['CREATE UNIQUE INDEX CONCURRENTLY i ON packet (sequence)', 'makes the unique index i'],
  ['TRUNCATE event', 'empties event'],
])('%s is accepted only with a declaration that nothing uses it any more', async (sql, says) => {
  const [fault, ...more] = await faultsOf(`-- A sentence.\n\n${sql}`);
  expect([fault?.startsWith(`line 3: ${says}`), fault, more]).toEqual([true, fault, []]);
  expect(await faultsOf(`-- Contracts: unused since ${lastVersion}\n${sql}`)).toEqual([]);
  expect(await faultsOf(`-- Contracts: unused since 9.9.9\n${sql}`)).toEqual([
    `line 1: 9.9.9 is no release; there are ${released.join(', ')}`,
  ]);
});

test.each([
  ['ALTER TABLE packet ADD COLUMN x TEXT NOT NULL', 'adds packet.x NOT NULL without a default'],
  ['ALTER TABLE packet ADD COLUMN x UUID NOT NULL DEFAULT gen_random_uuid()', 'rewrites packet: the default of x is another for each row'],
  ['ALTER TABLE packet ADD COLUMN x BIGSERIAL', 'rewrites packet to fill x'],
  ['ALTER TABLE packet ADD COLUMN x INT GENERATED ALWAYS AS (1) STORED', 'rewrites packet to fill x'],
  ['ALTER TABLE packet ADD COLUMN x TEXT UNIQUE', 'makes an index of packet under a lock'],
  ['ALTER TABLE packet ADD COLUMN x INT CHECK (x > 0)', 'reads all of packet under a lock'],
  ['ALTER TABLE rule_state ALTER COLUMN state TYPE JSON', 'changes the type of rule_state.state'],
  ['CREATE INDEX i ON packet (sequence)', 'makes the index i under a lock of packet'],
  ['CREATE TABLE a (id INT); CREATE INDEX CONCURRENTLY i ON a (id)', 'makes i CONCURRENTLY, which PostgreSQL takes only alone'],
  ["UPDATE payload SET meta = '{}' WHERE meta IS NULL", 'writes rows of payload'],
  ['DELETE FROM payload', 'writes rows of payload'],
  ['ALTER TABLE packet SET UNLOGGED', 'does AT_SetUnLogged to packet'],
  ["SET lock_timeout = '1h'", 'sets lock_timeout'],
  ['DO $$ BEGIN DROP TABLE packet; END $$', 'does what no check can see'],
  ['BEGIN', 'has a TransactionStmt'],
  ['LOCK TABLE packet', 'has a LockStmt'],
  [
    'ALTER TABLE packet ADD COLUMN x TEXT; ALTER TABLE packet ADD CONSTRAINT c FOREIGN KEY (x) REFERENCES other (id)',
    'reads all of packet under a lock for c',
  ],
  [
    'ALTER TABLE packet ADD COLUMN x TEXT; ALTER TABLE packet ADD CONSTRAINT c CHECK (x > $$$$) NOT VALID; ALTER TABLE packet VALIDATE CONSTRAINT c',
    'validates c of packet in the migration that adds it',
  ],
])('%s is rejected even with a declaration', async (sql, says) => {
  const faults = await faultsOf(`-- Contracts: unused since ${lastVersion}\n${sql}`);
  expect([faults.length, faults[0]?.includes(`: ${says}`), faults[0]]).toEqual([1, true, faults[0]]);
});

test('objects created by earlier migrations since the release do not concern it', async () => {
  const made = createMade();
  expect(await migrationFaults('CREATE TABLE a (id INT); ALTER TABLE packet ADD COLUMN x TEXT', made, released)).toEqual([]);
  expect(await migrationFaults('CREATE INDEX i ON a (id); ALTER TABLE packet DROP COLUMN x; DROP TABLE a', made, released)).toEqual([]);
});
