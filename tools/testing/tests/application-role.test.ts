import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { appFolderOf, type DatabaseService, databaseServices, narrowedPrivileges, roleOf, workspaceRoot } from '@market-state/launcher';
import { Client } from 'pg';
import { startStores, type TestStores } from '../src/index';

let stores: TestStores;
const clients = new Map<string, Client>();

beforeAll(async () => {
  stores = await startStores();
  for (const service of databaseServices) {
    const client = new Client({ connectionString: stores.postgresUrl(service) });
    await client.connect();
    clients.set(service, client);
  }
});
afterAll(async () => {
  for (const client of clients.values()) await client.end();
  await stores.stop();
});

async function ask<Row extends object>(service: string, sql: string, values: readonly unknown[] = []): Promise<Row[]> {
  const { rows } = (await clients.get(service)?.query<Row>(sql, [...values])) ?? { rows: [] };
  return rows;
}

/** The statement's SQLSTATE, or `done`. */
function outcome(service: string, sql: string): Promise<string> {
  return ask(service, sql).then(
    () => 'done',
    (error: { code?: string }) => error.code ?? String(error),
  );
}

const DENIED = '42501';
const TABLES = `SELECT oid::regclass::text AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
  ORDER BY 1`;
const EACH = databaseServices.map((service) => [service] as const);

/** Append-only tables, with the application's privileges. */
const NEVER_CHANGED: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  account: { entry: ['INSERT', 'SELECT'], posting: ['INSERT', 'SELECT'], receipt: ['INSERT', 'SELECT'] },
  data_plane: { log_entry: ['INSERT', 'SELECT'], log_entry_book: ['SELECT'], log_entry_trade: ['SELECT'] },
  labeling: { packet: ['DELETE', 'INSERT', 'SELECT'], checkpoint: ['DELETE', 'INSERT', 'SELECT'] },
};

function tablesOf(service: DatabaseService): readonly string[] {
  const schema = readFileSync(join(workspaceRoot(), appFolderOf(service), 'prisma', 'schema.prisma'), 'utf8');
  const names = [...schema.matchAll(/^model (\w+) \{([^}]*)\}/gm)].map(
    ([, model = '', body = '']) => /@@map\("(\w+)"\)/.exec(body)?.[1] ?? model,
  );
  expect(names.length).toBeGreaterThan(0);
  return names;
}

test.each(EACH)('the application of %s owns nothing, and is not a member of a role that does', async (service) => {
  const role = roleOf(stores.postgresUrl(service));
  expect(role).not.toBe(roleOf(stores.ownerUrl(service)));
  expect(
    await ask(service, `SELECT classid::regclass::text, objid FROM pg_shdepend WHERE refobjid = $1::regrole AND deptype = 'o'`, [role]),
  ).toEqual([]);
  expect(await ask(service, 'SELECT roleid::regrole::text FROM pg_auth_members WHERE member = $1::regrole', [role])).toEqual([]);
  expect(
    await ask(service, 'SELECT rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls FROM pg_roles WHERE rolname = $1', [
      role,
    ]),
  ).toEqual([{ rolsuper: false, rolcreaterole: false, rolcreatedb: false, rolreplication: false, rolbypassrls: false }]);
});

test.each(EACH)('the application of %s has exactly the listed privileges on each table', async (service) => {
  const rows = await ask<{ name: string; held: string[] }>(
    service,
    `SELECT relname AS name, ARRAY(SELECT word FROM unnest(ARRAY['DELETE', 'INSERT', 'MAINTAIN', 'REFERENCES', 'SELECT', 'TRIGGER',
      'TRUNCATE', 'UPDATE']) AS word WHERE has_table_privilege(oid, word)) AS held
     FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') ORDER BY relname`,
  );
  const listed = narrowedPrivileges(service);
  const wanted = (name: string): readonly string[] =>
    name === '_prisma_migrations' ? [] : [...(listed[name] ?? ['DELETE', 'INSERT', 'SELECT', 'UPDATE'])].sort();
  expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(['_prisma_migrations', ...tablesOf(service)]));
  expect(rows).toEqual(rows.map(({ name }) => ({ name, held: wanted(name) })));
  expect(rows).toEqual(expect.arrayContaining(Object.entries(NEVER_CHANGED[service] ?? {}).map(([name, held]) => ({ name, held }))));
  expect(Object.keys(listed).filter((name) => !rows.some((row) => row.name === name))).toEqual([]);
});

test.each(EACH)('only the application and the owner may connect to the database of %s or create anything in it', async (service) => {
  expect(
    await ask(
      service,
      `SELECT acl.privilege_type FROM pg_database, aclexplode(datacl) AS acl WHERE datname = current_database() AND acl.grantee = 0`,
    ),
  ).toEqual([]);
  expect(
    await ask(
      service,
      `SELECT acl.privilege_type FROM pg_namespace, aclexplode(nspacl) AS acl WHERE nspname = 'public' AND acl.grantee = 0`,
    ),
  ).toEqual([]);
  for (const other of databaseServices.filter((one) => one !== service)) {
    const url = new URL(stores.postgresUrl(other));
    url.pathname = new URL(stores.postgresUrl(service)).pathname;
    const client = new Client({ connectionString: url.href });
    await expect(client.connect()).rejects.toMatchObject({ code: DENIED });
    await client.end();
  }
});

test.each(EACH)('the application of %s can change no table', async (service) => {
  for (const { name } of await ask<{ name: string }>(service, TABLES)) {
    const changes = [
      `ALTER TABLE ${name} ADD COLUMN more INT`,
      `ALTER TABLE ${name} DISABLE TRIGGER ALL`,
      `ALTER TABLE ${name} OWNER TO CURRENT_USER`,
      `DROP TABLE ${name} CASCADE`,
      `TRUNCATE ${name} CASCADE`,
      `CREATE INDEX ON ${name} ((1))`,
    ];
    for (const sql of changes) expect([sql, await outcome(service, sql)]).toEqual([sql, DENIED]);
    // Granting a privilege one lacks is not an error, only a warning.
    const grant = `GRANT TRUNCATE ON ${name} TO CURRENT_USER`;
    expect([DENIED, 'done']).toContain(await outcome(service, grant));
    expect(await ask(service, `SELECT has_table_privilege($1, 'TRUNCATE') AS may`, [name])).toEqual([{ may: false }]);
  }
});

test.each(EACH)('the application of %s can create nothing and cannot switch roles', async (service) => {
  const refused = [
    'CREATE TABLE mine (id INT)',
    'CREATE TEMP TABLE mine (id INT)',
    'CREATE SCHEMA mine',
    "CREATE TYPE mine AS ENUM ('one')",
    'CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
    'CREATE ROLE mine',
    'CREATE DATABASE mine',
    `SET ROLE ${roleOf(stores.ownerUrl(service))}`,
    `SET SESSION AUTHORIZATION ${roleOf(stores.ownerUrl(service))}`,
    'SET session_replication_role = replica',
    `GRANT ${roleOf(stores.ownerUrl(service))} TO CURRENT_USER`,
    `COPY (SELECT 1) TO PROGRAM 'true'`,
  ];
  for (const sql of refused) expect([sql, await outcome(service, sql)]).toEqual([sql, DENIED]);
});

test.each(['entry', 'posting', 'receipt'])('rows of %s can be neither changed nor removed by the account service', async (table) => {
  const [column] = await ask<{ name: string }>(
    'account',
    `SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum = 2`,
    [table],
  );
  for (const sql of [
    `UPDATE ${table} SET "${column?.name}" = "${column?.name}"`,
    `DELETE FROM ${table}`,
    `SELECT 1 FROM ${table} FOR UPDATE`,
  ]) {
    expect([sql, await outcome('account', sql)]).toEqual([sql, DENIED]);
  }
});

/** Functions that run with the table owner's rights. */
const AS_OWNER: Readonly<Record<string, readonly string[]>> = {
  data_plane: ['drop_log_entry_day', 'make_log_entry_day'],
  account: ['forget_account_events'],
  webhook: ['drop_rule_input_day', 'make_rule_input_day'],
};

test.each(EACH)('every function of %s that runs as its owner has a fixed search path, and is not public', async (service) => {
  const rows = await ask<{ name: string; pinned: boolean; is_public: boolean }>(
    service,
    `SELECT proname AS name, 'search_path=pg_catalog, pg_temp' = ANY (coalesce(proconfig, '{}')) AS pinned,
       proacl IS NULL OR EXISTS (SELECT FROM aclexplode(proacl) WHERE grantee = 0) AS is_public
     FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosecdef ORDER BY proname`,
  );
  expect(rows).toEqual((AS_OWNER[service] ?? []).map((name) => ({ name, pinned: true, is_public: false })));
});

const DAY_MS = 86_400_000;

test.each([
  ['an unknown channel', `make_log_entry_day('trades', 0)`],
  ['another table', `make_log_entry_day('trade_20260101; DROP TABLE gap', 0)`],
  ['no channel', 'make_log_entry_day(NULL, 0)'],
  ['no day', `make_log_entry_day('trade', NULL)`],
  ['an instant within a day', `make_log_entry_day('trade', ${DAY_MS + 1})`],
  ['a day before 1970', `make_log_entry_day('trade', ${-DAY_MS})`],
  ['a day after 2099', `make_log_entry_day('trade', ${Date.UTC(2100, 0)})`],
  ['an unknown channel, to drop', `drop_log_entry_day('gap', 0, '{}')`],
  ['an instant within a day, to drop', `drop_log_entry_day('trade', 1, '{}')`],
])('the functions for days reject %s', async (_what, call) => {
  expect(await outcome('data_plane', `SELECT ${call}`)).toBe('22023');
});

test('a day is dropped only after it is over and its rows are archived', async () => {
  const dayMs = Date.UTC(2026, 0, 5);
  const drop = (keys = '{}'): Promise<string> => outcome('data_plane', `SELECT drop_log_entry_day('trade', ${dayMs}, '${keys}')`);
  expect(await drop()).toBe('42P01');
  expect(await outcome('data_plane', `SELECT make_log_entry_day('trade', ${dayMs})`)).toBe('done');
  expect(await outcome('data_plane', 'DROP TABLE log_entry_trade_20260105')).toBe(DENIED);
  expect(await drop()).toBe('55000');
  const clock = (ms: number): string =>
    `INSERT INTO channel_hour VALUES ('BTCUSD-PERP', 'control', ${ms - (ms % 3_600_000)}, 1, 0, 1, 1, 1, ${ms}, ${ms})
      ON CONFLICT DO NOTHING`;
  await ask('data_plane', clock(dayMs + DAY_MS - 1));
  expect(await drop()).toBe('55000');
  await ask('data_plane', clock(dayMs + DAY_MS));
  await ask(
    'data_plane',
    `INSERT INTO log_entry (symbol, ordinal, epoch, channel, pass, exchange_ts_ms, received_ts_ms, flags, payload)
      VALUES ('BTCUSD-PERP', 1, 1, 'trade', 1, ${dayMs}, ${dayMs}, 0, '')`,
  );
  expect(await drop()).toBe('55000');
  await ask(
    'data_plane',
    `INSERT INTO archive_file VALUES ('BTCUSD-PERP', 'trade', ${dayMs}, 'key', 1, 1, '', '', 1, 1, ${dayMs}, ${dayMs}, '{}', 0)`,
  );
  expect(await drop()).toBe('55000');
  expect(await drop('{key}')).toBe('done');
  expect(await ask('data_plane', `SELECT to_regclass('log_entry_trade_20260105') AS day`)).toEqual([{ day: null }]);
});
