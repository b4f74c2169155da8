import type { Queryable } from '@market-state/postgres';
import type { Pool } from 'pg';
import { EVENT_COLUMNS } from './event-row';
import { readRows } from './reading';

const COLUMNS = [...EVENT_COLUMNS, 'words'];

/** Where an event's columns come from that do not stand in the packet's body; the others are `event_facts` of it. */
const AROUND: Readonly<Record<string, string>> = {
  symbol: 'packet.symbol',
  window_end_ms: 'packet.window_end_ms',
  sequence: 'packet.sequence',
  event_id: 'packet.event_id',
  known_ts_ms: 'packet.known_ts_ms',
  source_kind: 'packet.source_kind',
};

/**
 * Enters packets into the index of events; `source` is SQL that gives them, with the columns of table `packet`, as `packet`. Each body is
 * parsed once: without the fence (`OFFSET 0`) the planner would do so for every column.
 */
function eventsFrom(source: string): string {
  const values = COLUMNS.map((column) => AROUND[column] ?? `facts.${column}`).join(', ');
  return `INSERT INTO event (${COLUMNS.join(', ')}) SELECT ${values} FROM ${source}
    CROSS JOIN LATERAL (SELECT packet.body::jsonb AS body OFFSET 0) AS parsed CROSS JOIN LATERAL event_facts(parsed.body) AS facts
    ON CONFLICT DO NOTHING`;
}

const OF_RECORDS = eventsFrom('jsonb_populate_recordset(NULL::packet, $1::jsonb) AS packet');

/** Enters packets that are given as records of table `packet`. */
export async function storeEventsOfRecords(on: Queryable, records: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
  await on.query(OF_RECORDS, [JSON.stringify(records)]);
}

/** Packets of one symbol in one statement. */
const PACKETS_MAX = 40;

const NEWER = eventsFrom(`(
  SELECT newer.* FROM unnest($1::text[]) AS asked (symbol) CROSS JOIN LATERAL (
    SELECT * FROM packet WHERE packet.symbol = asked.symbol
      AND window_end_ms > coalesce((SELECT max(window_end_ms) FROM event WHERE event.symbol = asked.symbol), 0)
    ORDER BY window_end_ms LIMIT ${PACKETS_MAX}) AS newer) AS packet`);

/**
 * Enters the packets of symbols that are newer than the newest event of each: packets of a symbol are stored in the order of their windows.
 */
export async function enterEvents(pool: Pool, symbols: readonly string[]): Promise<void> {
  for (let entered = PACKETS_MAX; entered >= PACKETS_MAX; ) {
    ({ length: entered } = await readRows(pool, `${NEWER} RETURNING window_end_ms`, [symbols]));
  }
}
