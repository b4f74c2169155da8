import type { PoolClient } from 'pg';
import { EVENT_COLUMNS } from './event-row';

const COLUMNS = [...EVENT_COLUMNS, 'words'];

/** Where an event's columns come from that do not stand in the packet's body; the others are `event_facts` of it. */
const AROUND: Readonly<Record<string, string>> = {
  symbol: 'packet.symbol',
  window_end_ms: 'packet.window_end_ms',
  sequence: 'packet.sequence',
  event_id: 'packet.event_id',
  known_ts_ms: 'greatest(packet.window_end_ms, packet.generated_ts_ms - packet.source_lag_ms)',
  source_kind: 'packet.source_kind',
};

/**
 * Enters packets into the index of events; `source` is SQL that gives them, with the columns of table `packet`, as `packet`. Each body is
 * parsed once: without the fence (`OFFSET 0`) the planner would do so for every column.
 */
export function eventsFrom(source: string): string {
  const values = COLUMNS.map((column) => AROUND[column] ?? `facts.${column}`).join(', ');
  return `INSERT INTO event (${COLUMNS.join(', ')}) SELECT ${values} FROM ${source}
    CROSS JOIN LATERAL (SELECT packet.body::jsonb AS body OFFSET 0) AS parsed CROSS JOIN LATERAL event_facts(parsed.body) AS facts ON CONFLICT DO NOTHING`;
}

const OF_STORED = eventsFrom('(SELECT * FROM packet WHERE symbol = $1 AND window_end_ms = ANY ($2::bigint[])) AS packet');

/** Enters packets that are stored in the open transaction into the index of events. */
export async function storeEvents(client: PoolClient, symbol: string, windowEndsMs: readonly number[]): Promise<void> {
  await client.query(OF_STORED, [symbol, windowEndsMs]);
}
