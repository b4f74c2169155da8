import { createLogger } from '@market-state/logging';
import { Pool } from 'pg';
import { dropUnacknowledged, BATCH_ROWS, forgetOld } from '../src/store/retention';
import { type AccountUnderTest, startAccountUnderTest } from './account-under-test';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2030, 0, 1);

let service: AccountUnderTest;
let pool: Pool;
beforeAll(async () => {
  service = await startAccountUnderTest();
  pool = new Pool({ connectionString: service.stores.postgresUrl('account'), max: 1 });
  await service.sql(`INSERT INTO tenant (id, name, created_at) VALUES ('ten_1', 'ten_1', now())`);
  await service.sql(
    `INSERT INTO account (id, tenant_id, email, email_digest, password_hash, created_at)
      VALUES ('acc_1', 'ten_1', 'a@b.example', decode(repeat('00', 32), 'hex'), '', now())`,
  );
});
afterAll(async () => {
  await pool.end();
  await service.stop();
});

const before = (days: number): Date => new Date(NOW_MS - days * DAY_MS);
const idsOf = async (table: string, column: string): Promise<string[]> =>
  (await service.sql<{ id: string }>(`SELECT ${column} AS id FROM ${table} ORDER BY 1`)).map(({ id }) => id);

test('rows are deleted after their retention; an unacknowledged event is kept longer, then dropped and logged', async () => {
  await service.sql(`INSERT INTO provider_event (id, type, received_at) VALUES ('evt_old', 't', $1), ('evt_young', 't', $2)`, [
    before(61),
    before(59),
  ]);
  await service.sql(
    `INSERT INTO outbox (tenant_id, kind, occasion, payload, created_at, taken_at)
      VALUES ('ten_1', 'k', 'old', '{}', $1, $1), ('ten_1', 'k', 'young', '{}', $1, $2), ('ten_1', 'k', 'waiting', '{}', $1, NULL)`,
    [before(46), before(44)],
  );
  await service.sql(
    `INSERT INTO known_address (account_id, address, seen_at) VALUES ('acc_1', '192.0.2.1', $1), ('acc_1', '192.0.2.2', $2)`,
    [before(91), before(89)],
  );
  expect(await forgetOld(pool, NOW_MS)).toBe(3);
  expect(await idsOf('provider_event', 'id')).toEqual(['evt_young']);
  expect(await idsOf('outbox', 'occasion')).toEqual(['waiting', 'young']);
  expect(await idsOf('known_address', 'address')).toEqual(['192.0.2.2']);
  expect(await forgetOld(pool, NOW_MS)).toBe(0);
  const logger = createLogger('test', { destination: { write: (line) => void lines.push(line) } });
  const lines: string[] = [];
  await dropUnacknowledged(pool, NOW_MS - 2 * DAY_MS, logger);
  expect(await idsOf('outbox', 'occasion')).toEqual(['waiting', 'young']);
  await dropUnacknowledged(pool, NOW_MS, logger);
  expect(await idsOf('outbox', 'occasion')).toEqual(['young']);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ events: 1, msg: 'unacknowledged events dropped' }]);
});

test('more than a batch is forgotten in several', async () => {
  await service.sql(`INSERT INTO provider_event (id, type, received_at) SELECT 'evt_' || n, 't', $1 FROM generate_series(1, $2::int) n`, [
    before(100),
    2 * BATCH_ROWS + 1,
  ]);
  expect(await forgetOld(pool, NOW_MS)).toBe(2 * BATCH_ROWS + 1);
});
