import { NEW_STANDING } from '@market-state/alert-rules';
import type { Pool } from 'pg';
import { addLiveEndpoints } from '../harness';
import type { WatchedRule } from './rule-set';

/** Every table that evaluators, or what is prepared for them, write to. */
const WRITTEN =
  'message, message_order, payload, fanout, delivery, lane, rule_state, rule_input, rule_version, packet_cursor, rule, watchlist, endpoint, endpoint_topic';

/** Topics of endpoints in turn: `kind`, or `kind symbol`. */
const TOPICS = [['packet.created', 'state.changed', 'alert.triggered'], ['alert.triggered', 'usage.threshold_reached'], ['state.changed']];

/** What is watched, and by whom. */
export interface Watched {
  readonly rules: readonly WatchedRule[];
  readonly symbols: readonly string[];
}

/** Empties the database and stores rules that nobody has looked at yet, and a live endpoint for each tenant. */
export async function prepareDatabase(owner: Pool, { rules, symbols }: Watched): Promise<void> {
  await owner.query(`TRUNCATE ${WRITTEN} CASCADE`);
  const column = <Value>(read: (rule: WatchedRule) => Value): Value[] => rules.map(read);
  await owner.query(
    `INSERT INTO watchlist (watchlist_id, tenant_id, operation_id, kind, name, symbols, muted, created_ms, updated_ms)
     SELECT DISTINCT id, tenant, 'op_' || id, 'watchlist'::watchlist_kind, 'List ' || id, $3::jsonb, false, 1, 1
     FROM unnest($1::text[], $2::text[]) AS w (id, tenant)`,
    [column(({ watchlistId }) => watchlistId), column(({ tenantId }) => tenantId), JSON.stringify(symbols)],
  );
  await owner.query(
    `INSERT INTO rule (rule_id, watchlist_id, position, kind, params, cooldown_seconds, min_consecutive)
     SELECT * FROM unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::jsonb[], $6::int[], $7::int[])`,
    [
      column(({ ruleId }) => ruleId),
      column(({ watchlistId }) => watchlistId),
      column(({ position }) => position),
      column(({ kind }) => kind),
      column(({ params }) => JSON.stringify(params)),
      column(({ cooldownSeconds }) => cooldownSeconds),
      column(({ minConsecutive }) => minConsecutive),
    ],
  );
  await owner.query(
    `INSERT INTO rule_state (rule_id, symbol, state, recent, updated_ms)
     SELECT rule_id, symbol, $2::jsonb, '[]', 1 FROM rule CROSS JOIN unnest($1::text[]) AS s (symbol)`,
    [symbols, JSON.stringify(NEW_STANDING)],
  );
  for (const [at, tenantId] of tenantsOf(rules).entries()) await addEndpoints(owner, [tenantId], TOPICS[at % TOPICS.length] ?? []);
}

/** Tenants with rules, by name. */
export function tenantsOf(rules: readonly WatchedRule[]): string[] {
  return [...new Set(rules.map(({ tenantId }) => tenantId))].sort();
}

/** A live endpoint for each tenant. */
export function addEndpoints(owner: Pool, tenantIds: readonly string[], kinds: readonly string[]): Promise<void> {
  const endpoints = tenantIds.map((tenantId) => ({ endpointId: `we_${tenantId}`, tenantId, url: 'https://hooks.example.com' }));
  return addLiveEndpoints(owner, endpoints, { planId: 'public_research', kinds });
}
