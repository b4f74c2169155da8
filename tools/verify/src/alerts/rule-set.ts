import { oneOf, wholeBetween } from '@market-state/testing';
import { NEW_RULE_STATE } from '@market-state/alert-rules';
import type { Pool } from 'pg';
import { addLiveEndpoints } from '../harness';

const WRITTEN =
  'message, message_order, payload, fanout, delivery, lane, rule_state, rule_input, rule_version, packet_cursor, rule, watchlist, endpoint, endpoint_topic';

/** Endpoint topics, assigned round-robin: `kind` or `kind symbol`. */
const TOPICS = [['packet.created', 'state.changed', 'alert.triggered'], ['alert.triggered', 'usage.threshold_reached'], ['state.changed']];

export interface Watched {
  readonly rules: readonly WatchedRule[];
  readonly symbols: readonly string[];
}

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
    [symbols, JSON.stringify(NEW_RULE_STATE)],
  );
  for (const [at, tenantId] of tenantsOf(rules).entries()) await addEndpoints(owner, [tenantId], TOPICS[at % TOPICS.length] ?? []);
}

export function tenantsOf(rules: readonly WatchedRule[]): string[] {
  return [...new Set(rules.map(({ tenantId }) => tenantId))].sort();
}

export function addEndpoints(owner: Pool, tenantIds: readonly string[], kinds: readonly string[]): Promise<void> {
  const endpoints = tenantIds.map((tenantId) => ({ endpointId: `we_${tenantId}`, tenantId, url: 'https://hooks.example.com' }));
  return addLiveEndpoints(owner, endpoints, { planId: 'public_research', kinds });
}

export interface WatchedRule {
  readonly ruleId: string;
  readonly watchlistId: string;
  readonly tenantId: string;
  readonly position: number;
  readonly kind: string;
  readonly params: object;
  readonly cooldownSeconds: number;
  readonly minConsecutive: number;
}

type Draft = Pick<WatchedRule, 'kind' | 'params'>;
type Maker = (random: () => number) => Draft;

const RULES_A_LIST = 20;
const TENANTS_MAX = 20;
const RULES_A_TENANT_MIN = 5;

const STATES = ['pressure_building', 'depth_watch', 'market_state_watch', 'flow_shift_watch', 'fragile_depth_watch'] as const;
const CLASSES = [
  'visible_depth_pressure_without_trade_confirmation',
  'balanced_two_sided_context',
  'bid_depth_absorption_against_sell_flow',
  'trade_flow_leading_visible_book',
] as const;
const TAGS = [
  'pressure:*',
  'pressure:ask_watch:hot',
  'queue:fragile_watch:short',
  'flow:*',
  'alignment:book_and_flow_agree:short',
] as const;
const SCORES = ['severity_score', 'queue_fragility_score', 'novelty_score', 'confidence_score'] as const;
const MOMENTARY: readonly string[] = ['state_changed', 'tag_added'];

const MAKERS: readonly Maker[] = [
  (random) => ({ kind: 'state_is', params: { states: [oneOf(STATES, random)] } }),
  (random) => ({
    kind: 'state_changed',
    params: oneOf<object>([{}, { to: oneOf(STATES, random) }, { from: oneOf(STATES, random) }], random),
  }),
  (random) => ({ kind: 'tag_added', params: { tag: oneOf(TAGS, random) } }),
  (random) => ({ kind: 'event_class_is', params: { event_classes: [oneOf(CLASSES, random)] } }),
  (random) => ({
    kind: 'severity_at_least',
    params: oneOf<object>(
      [{ severity_class: oneOf(['elevated_context', 'high_context'], random) }, { score: oneOf([0.3, 0.5, 0.7], random) }],
      random,
    ),
  }),
  (random) => ({
    kind: 'score_change',
    params: {
      score: oneOf(SCORES, random),
      by: oneOf([0.05, 0.1, 0.2], random),
      packets: wholeBetween(1, 60, random),
      direction: oneOf(['rise', 'fall', 'either'], random),
    },
  }),
  (random) => ({ kind: 'feed_stale', params: { channel: 'trades', seconds: wholeBetween(15, 120, random) } }),
];

export function rulesOfEveryKind(total: number, random: () => number): WatchedRule[] {
  const tenants = Math.max(1, Math.min(TENANTS_MAX, Math.floor(total / RULES_A_TENANT_MIN)));
  return Array.from({ length: total }, (_, at) => {
    const draft = MAKERS[at % MAKERS.length]?.(random);
    if (draft === undefined) throw new Error('No rule kind is defined.');
    const tenantId = `ten_${String(at % tenants).padStart(2, '0')}`;
    const ofTenant = Math.floor(at / tenants);
    return {
      ...draft,
      ruleId: `rul_${String(at).padStart(4, '0')}`,
      watchlistId: `wl_${tenantId}_${Math.floor(ofTenant / RULES_A_LIST)}`,
      tenantId,
      position: ofTenant % RULES_A_LIST,
      cooldownSeconds: oneOf([0, 0, 60, 600], random),
      minConsecutive: MOMENTARY.includes(draft.kind) ? 1 : oneOf([1, 1, 2, 3, 6], random),
    };
  });
}
