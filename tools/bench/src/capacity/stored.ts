import { setTimeout as delay } from 'node:timers/promises';
import { type System, withClient } from '@market-state/launcher';
import type { Client } from 'pg';
import type { Measured } from './figures';

const HOUR_SECONDS = 3_600;
/** From the first to the last row of an hour that is whole: what a start plays begins within another. */
const WHOLE_MS_MIN = 3_500_000;
/** The archive follows an hour's end; how often it is looked for, and how long. */
const LOOK_MS = 2_000;
const ARCHIVED_MS_MAX = 300_000;

/** What is stored of a symbol. */
export type Stored = Pick<
  Measured,
  'rowsPerSecond' | 'payloadBytesARow' | 'diskFactor' | 'archiveBytesAnHour' | 'packetBytes' | 'eventIndexBytes' | 'checkpointBytes'
>;

/** Sizes of what a system has written, of each symbol the mean. Waits for the files of a whole hour. */
export async function measureStored(system: System, symbols: readonly string[]): Promise<Stored & { readonly hourMs: number }> {
  const rows = await withClient(system.stores.ownerUrl('data_plane'), async (client) => {
    const hourMs = await archivedHour(client, symbols);
    const hour = await one(
      client,
      `SELECT sum(row_total) AS rows, sum(payload_bytes) AS payload FROM channel_hour WHERE symbol = ANY($1) AND hour_ms = $2`,
      [symbols, hourMs],
    );
    const files = await one(client, 'SELECT sum(byte_total) AS bytes FROM archive_file WHERE symbol = ANY($1) AND hour_ms = $2', [
      symbols,
      hourMs,
    ]);
    const disk = await one(
      client,
      `SELECT (SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('log_entry') WHERE isleaf) AS bytes,
         (SELECT sum(payload_bytes) FROM channel_hour) AS payload`,
      [],
    );
    return {
      hourMs,
      rowsPerSecond: numberOf(hour, 'rows') / HOUR_SECONDS / symbols.length,
      payloadBytesARow: numberOf(hour, 'payload') / numberOf(hour, 'rows'),
      diskFactor: numberOf(disk, 'bytes') / numberOf(disk, 'payload'),
      archiveBytesAnHour: numberOf(files, 'bytes') / symbols.length,
    };
  });
  const packets = await withClient(system.stores.ownerUrl('labeling'), async (client) => {
    const size = (table: string, of: string): string => `pg_total_relation_size('${table}')::float8 / (SELECT count(*) FROM ${of})`;
    const found = await one(
      client,
      `SELECT ${size('packet', 'packet')} AS packet, ${size('event', 'packet')} AS event, ${size('checkpoint', 'checkpoint')} AS checkpoint`,
      [],
    );
    return {
      packetBytes: numberOf(found, 'packet'),
      eventIndexBytes: numberOf(found, 'event'),
      checkpointBytes: numberOf(found, 'checkpoint'),
    };
  });
  return { ...rows, ...packets };
}

/** The newest whole hour of which every symbol has a file of books, start. @throws Error when there is none in time */
async function archivedHour(client: Client, symbols: readonly string[]): Promise<number> {
  for (const startMs = performance.now(); performance.now() - startMs < ARCHIVED_MS_MAX; await delay(LOOK_MS)) {
    const { rows } = await client.query<{ hour_ms: string }>(
      `SELECT hour_ms FROM archive_file WHERE symbol = ANY($1) AND channel = 'book' GROUP BY hour_ms
       HAVING count(*) = $2 AND min(max_exchange_ms - min_exchange_ms) >= $3 ORDER BY hour_ms DESC LIMIT 1`,
      [symbols, symbols.length, WHOLE_MS_MIN],
    );
    if (rows[0] !== undefined) return Number(rows[0].hour_ms);
  }
  throw new Error('No whole hour was archived in five minutes.');
}

type Row = Readonly<Record<string, unknown>>;

async function one(client: Client, text: string, values: unknown[]): Promise<Row> {
  const { rows } = await client.query<Row>(text, values);
  return rows[0] ?? {};
}

function numberOf(row: Row, column: string): number {
  return Number(row[column]);
}
