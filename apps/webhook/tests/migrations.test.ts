import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '@market-state/logging';
import { createPool } from '@market-state/postgres';
import { startStores, type TestStores } from '@market-state/testing';
import type { Pool } from 'pg';
import { maskStoredHooks } from '../src/store/endpoints';

const MIGRATIONS = join(import.meta.dirname, '../prisma/migrations');
const names = readdirSync(MIGRATIONS)
  .filter((name) => /^\d{4}_/.test(name))
  .sort();
const DAY_MS = 86_400_000;
const FIRST_MS = Date.UTC(2026, 6, 30);

let stores: TestStores;
let pool: Pool;
beforeAll(async () => {
  stores = await startStores({ services: ['webhook'] });
  pool = createPool({ url: await stores.emptyDatabaseUrl(), logger: silentLogger(), applicationName: 'test', max: 1 });
});
afterAll(async () => {
  await pool.end();
  await stores.stop();
});

async function apply(from: string, to: string): Promise<void> {
  for (const name of names.slice(names.indexOf(from), names.indexOf(to) + 1))
    await pool.query(readFileSync(join(MIGRATIONS, name, 'migration.sql'), 'utf8'));
}

/** State left by the previous release: three days of inputs of two symbols, and pending messages. */
async function fill(): Promise<void> {
  await pool.query(
    `INSERT INTO rule_input (symbol, sequence, window_end_ms, input)
     SELECT symbol, n, $1::bigint + n * 3600000 - 1, json_build_object('n', n) FROM generate_series(0, 71) AS n, unnest($2::text[]) AS s (symbol)`,
    [FIRST_MS, ['A-PERP', 'B-PERP']],
  );
  for (const table of ['watchlist', 'saved_search', 'endpoint']) {
    const [more, values] = {
      watchlist: ['kind, symbols, muted', `'alert', '[]', false`],
      saved_search: ['query', `'{}'`],
      endpoint: [
        'plan_id, url, description, event_kinds, symbols, status, disabled_reason, url_revision, failed_messages',
        `'p', 'u', '', '[]', '[]', 'live', '', 1, 0`,
      ],
    }[table] ?? ['', ''];
    const named = table === 'endpoint' ? ['', ''] : ['name, ', `'name', `];
    await pool.query(
      `INSERT INTO ${table} (${table}_id, tenant_id, operation_id, ${named[0]}${more}, created_ms, updated_ms)
       VALUES ('one', 'ten_one', 'op_one', ${named[1]}${values}, 1, 1)`,
    );
  }
  await pool.query(
    `INSERT INTO message (message_id, tenant_id, position, event_kind, occasion, symbol, created_ms, data, meta)
     SELECT 'msg_' || n, 'ten_one', n, 'alert.triggered', 'occasion ' || n, '', n, CASE WHEN n > 1 THEN '{}'::json END, CASE WHEN n > 1 THEN '{}'::json END
     FROM generate_series(1, 3) AS n`,
  );
  await pool.query(
    `INSERT INTO delivery (delivery_id, message_id, endpoint_id, tenant_id, event_kind, status, due_ms, schedule_step, attempts, credits, charged, created_ms, updated_ms)
     SELECT 'dlv_' || n, 'msg_' || n, 'one', 'ten_one', 'alert.triggered', 'waiting', n, 0, 0, 1, false, n, n FROM generate_series(1, 3) AS n`,
  );
  await pool.query(
    `INSERT INTO payload (payload_id, data, created_ms) SELECT 'pay_' || n, '{"state":"depth_watch"}', 1 FROM generate_series(1, 3) AS n`,
  );
  await pool.query(
    `INSERT INTO message (message_id, tenant_id, position, event_kind, occasion, symbol, created_ms, payload_id, meta)
     VALUES ('msg_4', 'ten_one', 4, 'packet.created', 'occasion 4', 'A-PERP', 4, 'pay_1', '{"number":4}')`,
  );
  await pool.query(
    `INSERT INTO fanout (fanout_id, payload_id, event_kind, symbol, occasion, meta, after_tenant_id, pull_only, created_ms)
     VALUES ('fan_1', 'pay_2', 'packet.created', 'A-PERP', 'occasion 5', '{"left":5}', '', false, 1)`,
  );
}

const TABLES = ['rule_input', 'watchlist', 'saved_search', 'endpoint', 'message', 'delivery'];

/** Columns of 0007 and their defaults, which the previous release relies on. */
const ADDED = {
  endpoint: { kind: 'webhook', chat_id: '', digest_minutes: 0, confirmed_ms: null, confirmation: null },
  delivery: { in_digest: false },
};

async function rowsOf(table: string): Promise<string[]> {
  const { rows } = await pool.query<{ row: string }>(`SELECT (to_jsonb(t) - $1::text[])::text AS row FROM ${table} AS t ORDER BY 1`, [
    Object.keys(table in ADDED ? ADDED[table as keyof typeof ADDED] : {}),
  ]);
  return rows.map(({ row }) => row);
}

async function contents(): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const table of TABLES) found[table] = await rowsOf(table);
  return found;
}

test('a filled database keeps every row, and its inputs lie in their days', async () => {
  await apply(names[0] ?? '', '0002_inputs_by_window');
  await fill();
  const before = await contents();
  await apply('0003_operations_of_tenants', names.at(-1) ?? '');
  expect(before.rule_input).toHaveLength(144);
  expect(await contents()).toEqual(before);
  for (const [table, defaults] of Object.entries(ADDED)) {
    const { rows } = await pool.query(`SELECT DISTINCT ${Object.keys(defaults).join(', ')} FROM ${table}`);
    expect(rows).toEqual([defaults]);
  }
  const { rows: days } = await pool.query<{ day: string; total: number }>(
    'SELECT tableoid::regclass::text AS day, count(*)::int AS total FROM rule_input GROUP BY 1 ORDER BY 1',
  );
  expect(days).toEqual([
    { day: 'rule_input_20260729', total: 2 },
    { day: 'rule_input_20260730', total: 48 },
    { day: 'rule_input_20260731', total: 48 },
    { day: 'rule_input_20260801', total: 46 },
  ]);
  const { rows: kept } = await pool.query('SELECT day_ms::float8, kept_until_ms::float8 FROM rule_input_day ORDER BY 1');
  expect(kept).toEqual([-1, 0, 1, 2].map((day) => ({ day_ms: FIRST_MS + day * DAY_MS, kept_until_ms: FIRST_MS + (day + 32) * DAY_MS })));
});

test.each([
  ['https://discord.com/api/webhooks/1094862910712345678/tOkEn/…', 'https://discord.com/api/webhooks/1094862910712345678/…'],
  ['https://hooks.slack.com/services/T0123/B0123/…', 'https://hooks.slack.com/services/T0123/B0123/…'],
  ['https://chat.example.com/hooks/tOkEn/…', 'https://chat.example.com/hooks/…'],
  ['https://chat.example.com/in/tOkEn/…', 'https://chat.example.com/…'],
])('the stored address of a hook %s is masked as %s', async (url, masked) => {
  await pool.query('BEGIN');
  await pool.query(`UPDATE endpoint SET kind = 'slack', url = $1`, [url]);
  await maskStoredHooks(pool);
  const { rows } = await pool.query('SELECT url FROM endpoint');
  await pool.query('ROLLBACK');
  expect(rows).toEqual([{ url: masked }]);
});

test('a payload has what its messages or its fan-out had', async () => {
  const { rows } = await pool.query('SELECT payload_id, meta FROM payload ORDER BY payload_id');
  expect(rows).toEqual([
    { payload_id: 'pay_1', meta: { number: 4 } },
    { payload_id: 'pay_2', meta: { left: 5 } },
    { payload_id: 'pay_3', meta: {} },
  ]);
});

test('what was unique is still refused a second time', async () => {
  const again = {
    rule_input: `INSERT INTO rule_input SELECT * FROM rule_input LIMIT 1`,
    watchlist: `INSERT INTO watchlist SELECT 'two', tenant_id, operation_id, kind, name, symbols, muted, 1, 1 FROM watchlist`,
    message: `INSERT INTO message SELECT 'msg_9', tenant_id, 9, event_kind, occasion, symbol, 99, data, payload_id, meta FROM message LIMIT 1`,
    delivery: `INSERT INTO delivery (delivery_id, message_id, endpoint_id, tenant_id, event_kind, status, schedule_step, attempts, credits, charged, created_ms,
      updated_ms) SELECT 'dlv_9', message_id, endpoint_id, tenant_id, event_kind, status, 0, 0, 1, false, 99, 99 FROM delivery LIMIT 1`,
  };
  for (const [table, statement] of Object.entries(again)) {
    const code = await pool.query(statement).then(
      () => 'none',
      (error: { code: string }) => error.code,
    );
    expect({ table, code }).toEqual({ table, code: '23505' });
  }
});
