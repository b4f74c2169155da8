import { type Stores, withClient } from '@market-state/launcher';
import type { Client } from 'pg';

const HOUR_MS = 3_600_000;
const PACKETS_AN_HOUR = 360;
/** Shifts the existing packets' sequences, which start at 1, once to make room for earlier ones. */
const SEQUENCE_ROOM = 1_000_000;

/** Columns that differ in a copy, as SQL over a row `base` and `h`, the hours before it. */
const MOVED: Readonly<Record<string, string>> = {
  window_end_ms: `base.window_end_ms - h * ${HOUR_MS}`,
  known_ts_ms: `base.known_ts_ms - h * ${HOUR_MS}`,
  generated_ts_ms: `base.generated_ts_ms - h * ${HOUR_MS}`,
  sequence: `base.sequence - h * ${PACKETS_AN_HOUR}`,
  packet_id: `'pkt_' || left(md5(base.event_id || h), 26)`,
  event_id: `'evt_' || left(md5(base.event_id || h), 26)`,
};

interface PacketsStored {
  readonly packets: number;
  readonly packetMiB: number;
  readonly eventMiB: number;
}

/** New ids; hours that have packets keep them. The stores must be otherwise idle. */
export async function copyHours(stores: Stores, symbol: string, hours: number): Promise<PacketsStored> {
  await withClient(stores.ownerUrl('webhook'), (client) => moveSequences(client, symbol, ['packet_cursor']));
  return withClient(stores.ownerUrl('labeling'), async (client) => {
    await client.query('ALTER TABLE packet DISABLE TRIGGER packet_unchanged');
    await moveSequences(client, symbol, ['packet', 'event']);
    await client.query('ALTER TABLE packet ENABLE TRIGGER packet_unchanged');
    await client.query(
      'UPDATE symbol_position SET last_sequence = (SELECT max(sequence) FROM packet WHERE packet.symbol = $1) WHERE symbol = $1',
      [symbol],
    );
    // The archive continues from hours that have files, so it makes none from copies.
    await client.query(
      `INSERT INTO archive_file (symbol, channel, hour_ms, object_key, row_total, sha256, state)
       SELECT $1, channel, min(window_end_ms) / ${HOUR_MS} * ${HOUR_MS}, 'bench/' || channel, 1, '', 'hot'
       FROM packet, unnest(ARRAY['packets', 'checkpoints']) AS channel WHERE symbol = $1 GROUP BY channel ON CONFLICT DO NOTHING`,
      [symbol],
    );
    await client.query('SET synchronous_commit = off');
    for (const table of ['packet', 'event']) await copyInto(client, table, symbol, hours);
    await client.query('VACUUM ANALYZE packet');
    await client.query('VACUUM ANALYZE event');
    return kept(client, symbol);
  });
}

async function moveSequences(client: Client, symbol: string, tables: readonly string[]): Promise<void> {
  for (const table of tables)
    await client.query(`UPDATE ${table} SET sequence = sequence + ${SEQUENCE_ROOM} WHERE symbol = $1 AND sequence < ${SEQUENCE_ROOM}`, [
      symbol,
    ]);
}

async function copyInto(client: Client, table: string, symbol: string, hours: number): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT column_name AS name FROM information_schema.columns WHERE table_name = $1 ORDER BY ordinal_position',
    [table],
  );
  const names = rows.map(({ name }) => name);
  await client.query(
    `INSERT INTO ${table} (${names.join(', ')})
     SELECT ${names.map((name) => MOVED[name] ?? `base.${name}`).join(', ')}
     FROM (SELECT * FROM ${table} WHERE symbol = $1 ORDER BY window_end_ms DESC LIMIT ${PACKETS_AN_HOUR}) AS base
       CROSS JOIN generate_series(1, $2::bigint) AS h
     ORDER BY h DESC, base.window_end_ms ON CONFLICT DO NOTHING`,
    [symbol, hours],
  );
}

async function kept(client: Client, symbol: string): Promise<PacketsStored> {
  const { rows } = await client.query<Record<keyof PacketsStored, number>>(
    `SELECT (SELECT count(*)::int FROM packet WHERE symbol = $1) AS packets,
       pg_total_relation_size('packet') / 1048576.0::float8 AS "packetMiB",
       pg_total_relation_size('event') / 1048576.0::float8 AS "eventMiB"`,
    [symbol],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('Postgres returned no row.');
  return row;
}
