import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PacketResult } from '@market-state/labeler';
import { silentLogger } from '@market-state/logging';
import { createPool } from '@market-state/postgres';
import { startStores, type TestStores } from '@market-state/testing';
import type { Pool } from 'pg';
import { briefOfBody } from '../src/packets/packet';
import { createPostgresLabelStore } from '../src/store/postgres-label-store';
import { createPostgresPacketReader } from '../src/store/postgres-packet-reader';
import { enterEvents } from '../src/store/store-events';
import { type Body, made } from './labeled-events';
import { BTC } from './labeling-under-test';

const MIGRATIONS = join(import.meta.dirname, '..', 'prisma', 'migrations');
const names = readdirSync(MIGRATIONS)
  .filter((name) => /^\d{4}_/.test(name))
  .sort();

let stores: TestStores;
let pool: Pool;
beforeAll(async () => {
  stores = await startStores({ services: ['labeling'] });
});
afterAll(() => stores.stop());
beforeEach(async () => {
  pool = createPool({ url: await stores.emptyDatabaseUrl(), logger: silentLogger(), applicationName: 'test', max: 1 });
});
afterEach(() => pool.end());

async function apply(from: string, to: string): Promise<void> {
  for (const name of names.slice(names.indexOf(from), names.indexOf(to) + 1))
    await pool.query(readFileSync(join(MIGRATIONS, name, 'migration.sql'), 'utf8'));
}

test('packets stored earlier get a known time from their own timestamps, never before the end of their windows', async () => {
  await apply(names[0] ?? '', '0007_events');
  const insert = `INSERT INTO packet (symbol, window_end_ms, sequence, packet_id, event_id, body, packet_digest, lineage_digest,
    input_digest, policy_digest, generated_ts_ms, source_lag_ms, headline, customer_next_step, source_kind)
    SELECT 'BTCUSD-PERP', $1::bigint, $1::bigint / 10000, 'p' || $1, 'e' || $1, '{}', '', '', '', '', $2, $3, '', '', 'recorded'`;
  await pool.query(insert, [20_000, 21_300, 250]);
  await pool.query(insert, [30_000, 12_000, 0]);
  await apply('0008_known_time', '0009_packet_brief');
  const { rows } = await pool.query('SELECT window_end_ms, known_ts_ms, brief FROM packet ORDER BY window_end_ms');
  expect(rows).toEqual([
    { window_end_ms: '20000', known_ts_ms: '21050', brief: null },
    { window_end_ms: '30000', known_ts_ms: '30000', brief: null },
  ]);
  await expect(pool.query('UPDATE packet SET known_ts_ms = 1')).rejects.toThrow('a stored packet is never changed');
});

test('the event index is rebuilt from the packets, including the columns that rows show in addition to classes', async () => {
  const { body, windowEndMs } = made[BTC]?.[40] as PacketResult;
  const { state_label, state_diagnosis: diagnosis, reference_prices: prices } = JSON.parse(body) as Body;
  await apply(names[0] ?? '', '0009_packet_brief');
  await pool.query(
    `INSERT INTO packet (symbol, window_end_ms, sequence, packet_id, event_id, body, packet_digest, lineage_digest, input_digest,
      policy_digest, generated_ts_ms, source_lag_ms, headline, customer_next_step, source_kind, known_ts_ms)
      VALUES ($1, $2::bigint, 1, 'p', 'e', $3, '', '', '', '', $2, 0, '', '', 'recorded', $2)`,
    [BTC, windowEndMs, body],
  );
  await apply('0010_event_reads', names.at(-1) ?? '');
  const { rows } = await pool.query('SELECT event_id, mid_price, state_label, runner_up_state, state_margin FROM event');
  expect(rows).toEqual([
    {
      event_id: 'e',
      mid_price: prices.mid_price,
      state_label,
      runner_up_state: diagnosis.runner_up_state,
      state_margin: diagnosis.state_margin,
    },
  ]);
});

test('a packet whose body was stored as text is read along with packed ones and is indexed', async () => {
  const [first, second] = (made[BTC] ?? []).slice(40) as [PacketResult, PacketResult];
  await apply(names[0] ?? '', '0010_event_reads');
  await pool.query(
    `INSERT INTO packet (symbol, window_end_ms, sequence, packet_id, event_id, body, packet_digest, lineage_digest, input_digest,
      policy_digest, generated_ts_ms, source_lag_ms, headline, customer_next_step, source_kind, known_ts_ms)
      VALUES ($1, $2::bigint, 1, 'p', $3, $4, '', '', '', '', $2, 0, '', '', 'recorded', $2)`,
    [BTC, first.windowEndMs, first.eventId, first.body],
  );
  await apply('0011_packed_bodies', names.at(-1) ?? '');
  await pool.query('INSERT INTO symbol_position (symbol, last_sequence, epoch, ordinal) VALUES ($1, 1, 1, 0)', [BTC]);
  const next = {
    ...second,
    generatedTsMs: second.windowEndMs,
    sourceLagMs: 0,
    signature: null,
    closing: null,
    knownTsMs: second.windowEndMs,
    brief: briefOfBody(second.body),
  };
  await createPostgresLabelStore(pool).commit({ symbol: BTC, packets: [next], position: { epoch: 1, ordinal: 1 } });
  const { rows } = await pool.query('SELECT body IS NULL AS none, packed_body IS NULL AS unpacked FROM packet ORDER BY window_end_ms');
  expect(rows).toEqual([
    { none: false, unpacked: true },
    { none: true, unpacked: false },
  ]);

  const reader = createPostgresPacketReader(pool);
  const span = { symbol: BTC, fromMs: null, toMs: null, asOfMs: null, newestFirst: false };
  expect((await reader.list(span, 10)).map(({ body }) => body)).toEqual([first.body, second.body]);
  expect((await reader.briefs(span, 10)).map(({ brief }) => brief)).toEqual([first.body, second.body].map(briefOfBody));
  await enterEvents(pool, [BTC]);
  const { rows: events } = await pool.query('SELECT event_id, state FROM event ORDER BY window_end_ms');
  expect(events).toEqual([first, second].map(({ eventId, body }) => ({ event_id: eventId, state: (JSON.parse(body) as Body).state })));
  const another = { sequence: 3, window_end_ms: 1, packet_id: 'x', event_id: 'x' };
  for (const both of [{ body: '{}' }, { packed_body: null }])
    await expect(
      pool.query('INSERT INTO packet SELECT (jsonb_populate_record(packet, $1)).* FROM packet WHERE sequence = 2', [
        { ...another, ...both },
      ]),
    ).rejects.toThrow('packet_has_one_body');
});
