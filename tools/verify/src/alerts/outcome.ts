import type { Pool } from 'pg';

/** A message as the database has it: its body is made of these alone. */
export interface ToldMessage {
  readonly message_id: string;
  readonly tenant_id: string;
  /** Place in the order of its tenant. */
  readonly position: number;
  readonly event_kind: string;
  readonly occasion: string;
  readonly symbol: string;
  readonly created_ms: string;
  /** JSON, byte for byte as it is sent. */
  readonly data: string;
  readonly meta: string;
  /** Its deliveries: endpoint, status, credits and attempts of each. */
  readonly sent: string;
}

/** Where a rule stands on a symbol, with its episode and its last transitions. */
export interface FoundStanding {
  readonly rule_id: string;
  readonly symbol: string;
  readonly state: string;
  readonly recent: string;
}

/** All that a pass over the packets leaves. */
export interface Outcome {
  /** By tenant, in its order. */
  readonly messages: readonly ToldMessage[];
  readonly standings: readonly FoundStanding[];
  /** Of each symbol its cursor, and number and digest of the stored inputs; work that is left over. */
  readonly rest: readonly string[];
}

const MESSAGES = `
  SELECT message_id, tenant_id, position::float8 AS position, event_kind, occasion, symbol, message.created_ms,
    CASE WHEN message.data IS NULL THEN payload.data::text WHEN payload.data IS NULL THEN message.data::text
      ELSE left(message.data::text, -1) || ',' || substr(payload.data::text, 2) END AS data,
    coalesce(message.meta, payload.meta)::text AS meta, coalesce(sent, '') AS sent
  FROM message LEFT JOIN payload USING (payload_id) LEFT JOIN (
    SELECT message_id, string_agg(concat_ws(' ', endpoint_id, status, credits, attempts), ', ' ORDER BY endpoint_id) AS sent
    FROM delivery GROUP BY message_id) AS deliveries USING (message_id)
  ORDER BY tenant_id, position`;

const STANDINGS = `SELECT rule_id, symbol, state::text AS state, recent::text AS recent FROM rule_state ORDER BY rule_id, symbol`;

const REST = `
  SELECT concat_ws(' ', 'cursor', symbol, sequence, window_end_ms, seen_ms) AS line FROM packet_cursor
  UNION ALL SELECT concat_ws(' ', 'inputs', symbol, count(*), md5(string_agg(sequence || input::text, '' ORDER BY sequence)))
    FROM rule_input GROUP BY symbol
  UNION ALL SELECT concat_ws(' ', 'payloads of no message', count(*)) FROM payload
    WHERE NOT EXISTS (SELECT FROM message WHERE message.payload_id = payload.payload_id)
  UNION ALL SELECT concat_ws(' ', 'fan-outs', count(*)) FROM fanout
  UNION ALL SELECT concat_ws(' ', 'deliveries of no message', count(*)) FROM delivery LEFT JOIN message USING (message_id)
    WHERE message.message_id IS NULL
  ORDER BY line`;

export async function readOutcome(pool: Pool): Promise<Outcome> {
  const { rows: messages } = await pool.query<ToldMessage>(MESSAGES);
  const { rows: standings } = await pool.query<FoundStanding>(STANDINGS);
  const { rows: rest } = await pool.query<{ line: string }>(REST);
  return { messages, standings, rest: rest.map(({ line }) => line) };
}

/** What an alert's message says of its rule. */
export interface ToldAlert {
  readonly rule_id: string;
  readonly symbol: string;
  readonly phase: string;
  readonly episode_id: string;
  readonly transition: number;
  readonly window_end_utc: string;
  readonly event_id: string;
  readonly replay_cursor: string;
}

/** Notices of every rule and symbol, `<rule> <symbol>`, in the order in which they were told. */
export function alertsByRule(messages: readonly ToldMessage[]): Map<string, ToldAlert[]> {
  const byRule = new Map<string, ToldAlert[]>();
  for (const { event_kind: kind, data } of messages) {
    if (kind !== 'alert.triggered') continue;
    const alert = JSON.parse(data) as ToldAlert;
    const name = `${alert.rule_id} ${alert.symbol}`;
    const known = byRule.get(name);
    if (known === undefined) byRule.set(name, [alert]);
    else known.push(alert);
  }
  return byRule;
}
