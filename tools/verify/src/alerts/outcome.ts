import type { Pool } from 'pg';

const occasionOf = ({ tenant_id: tenantId, occasion }: SentMessage): string => `${tenantId}: ${occasion}`;

export function differencesOf(unbroken: Outcome, found: Outcome): string[] {
  return [
    ...messageDifferences(unbroken.messages, found.messages),
    ...orderDifferences(unbroken.messages, found.messages),
    ...ruleStateDifferences(unbroken.standings, found.standings),
    ...unbroken.rest.filter((line) => !found.rest.includes(line)).map((line) => `Only the uninterrupted run has: ${line}.`),
    ...found.rest.filter((line) => !unbroken.rest.includes(line)).map((line) => `Missing from the uninterrupted run: ${line}.`),
  ];
}

const contentOf = ({ event_kind: kind, symbol, created_ms: createdMs, data, meta, sent }: SentMessage): string =>
  [kind, symbol, createdMs, data, meta, sent].join('\n');

function messageDifferences(unbroken: readonly SentMessage[], found: readonly SentMessage[]): string[] {
  const wanted = new Map(unbroken.map((message) => [occasionOf(message), message]));
  const seen = new Set<string>();
  const ids = new Set<string>();
  const differences: string[] = [];
  for (const message of found) {
    const occasion = occasionOf(message);
    const same = wanted.get(occasion);
    if (seen.has(occasion)) differences.push(`Sent twice: ${occasion}.`);
    else if (same === undefined) differences.push(`Not sent by the uninterrupted run: ${occasion}.`);
    else if (contentOf(same) !== contentOf(message)) differences.push(`Body or deliveries differ: ${occasion}.`);
    if (ids.has(message.message_id)) differences.push(`Two messages share the id ${message.message_id}.`);
    seen.add(occasion);
    ids.add(message.message_id);
  }
  return [...differences, ...[...wanted.keys()].filter((occasion) => !seen.has(occasion)).map((occasion) => `Lost: ${occasion}.`)];
}

/**
 * Only messages of one rule and symbol, or of one kind about a symbol's packets, are ordered. Outbox messages are not.
 */
function streamOf({ tenant_id: tenantId, event_kind: kind, symbol, occasion }: SentMessage): string | undefined {
  if (symbol === '') return undefined;
  return kind === 'alert.triggered' ? occasion.split(' ').slice(0, 3).join(' ') : `${tenantId} ${kind} ${symbol}`;
}

function orderDifferences(unbroken: readonly SentMessage[], found: readonly SentMessage[]): string[] {
  const [wanted, reported] = [streamsOf(unbroken), streamsOf(found)];
  return [...reported.keys()]
    .filter((stream) => reported.get(stream) !== wanted.get(stream))
    .map((stream) => `Different order or number: ${stream}.`);
}

function streamsOf(messages: readonly SentMessage[]): Map<string, string> {
  const streams = new Map<string, string[]>();
  for (const message of messages) {
    const stream = streamOf(message);
    if (stream === undefined) continue;
    const known = streams.get(stream);
    if (known === undefined) streams.set(stream, [message.occasion]);
    else known.push(message.occasion);
  }
  return new Map([...streams].map(([stream, occasions]) => [stream, occasions.join('\n')]));
}

function ruleStateDifferences(unbroken: readonly FoundRuleState[], found: readonly FoundRuleState[]): string[] {
  const nameOf = ({ rule_id: ruleId, symbol }: FoundRuleState): string => `${ruleId} ${symbol}`;
  const wanted = new Map(unbroken.map((standing) => [nameOf(standing), standing]));
  const differences = found.flatMap((standing) => {
    const name = nameOf(standing);
    const same = wanted.get(name);
    wanted.delete(name);
    return [
      ...(same?.state === standing.state ? [] : [`Different rule state: ${name}: ${standing.state}, not ${same?.state}.`]),
      ...(same?.recent === standing.recent ? [] : [`Different transitions: ${name}: ${standing.recent}, not ${same?.recent}.`]),
    ];
  });
  return [...differences, ...[...wanted.keys()].map((name) => `No rule state: ${name}.`)];
}

/**
 * Checks invariants of every rule: transition numbers rise by one, an episode has one trigger, and its recovery
 * follows.
 */
export function episodeFaults({ messages }: Outcome): string[] {
  return [...alertsByRule(messages)].flatMap(([name, alerts]) => faultsOfRule(name, alerts));
}

function faultsOfRule(name: string, alerts: readonly ReportedAlert[]): string[] {
  const triggered = new Set<string>();
  const recovered = new Set<string>();
  const faults: string[] = [];
  alerts.forEach(({ phase, episode_id: episode, transition }, index) => {
    if (transition !== index + 1) faults.push(`${name}: found transition ${transition} where ${index + 1} was expected.`);
    const reported = phase === 'triggered' ? triggered : recovered;
    if (reported.has(episode)) faults.push(`${name}: ${episode} is ${phase} twice.`);
    if (phase === 'recovered' && !triggered.has(episode)) faults.push(`${name}: ${episode} recovered before it triggered.`);
    reported.add(episode);
  });
  return faults;
}

export interface SentMessage {
  readonly message_id: string;
  readonly tenant_id: string;
  readonly position: number;
  readonly event_kind: string;
  readonly occasion: string;
  readonly symbol: string;
  readonly created_ms: string;
  /** JSON, byte for byte as sent. */
  readonly data: string;
  readonly meta: string;
  readonly sent: string;
}

interface FoundRuleState {
  readonly rule_id: string;
  readonly symbol: string;
  readonly state: string;
  readonly recent: string;
}

export interface Outcome {
  readonly messages: readonly SentMessage[];
  readonly standings: readonly FoundRuleState[];
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
  const { rows: messages } = await pool.query<SentMessage>(MESSAGES);
  const { rows: standings } = await pool.query<FoundRuleState>(STANDINGS);
  const { rows: rest } = await pool.query<{ line: string }>(REST);
  return { messages, standings, rest: rest.map(({ line }) => line) };
}

interface ReportedAlert {
  readonly rule_id: string;
  readonly symbol: string;
  readonly phase: string;
  readonly episode_id: string;
  readonly transition: number;
  readonly window_end_utc: string;
  readonly event_id: string;
  readonly replay_cursor: string;
}

export function alertsByRule(messages: readonly SentMessage[]): Map<string, ReportedAlert[]> {
  const byRule = new Map<string, ReportedAlert[]>();
  for (const { event_kind: kind, data } of messages) {
    if (kind !== 'alert.triggered') continue;
    const alert = JSON.parse(data) as ReportedAlert;
    const name = `${alert.rule_id} ${alert.symbol}`;
    const known = byRule.get(name);
    if (known === undefined) byRule.set(name, [alert]);
    else known.push(alert);
  }
  return byRule;
}
