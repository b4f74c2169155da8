import { checkRule, NEW_RULE_STATE, readRuleState, type RuleSpec } from '@market-state/alert-rules';
import { type Queryable, run } from '@market-state/postgres';
import { type Selectable, sql } from 'kysely';
import type { RecentTransition, SymbolRuleState, WatchedRule, Watchlist, WatchlistKind } from '../watchlists/watchlist';
import type { Watchlist as WatchlistTable } from './generated/tables';
import type { ListPage } from './list-page';
import { tables } from './tables';

type WatchlistRow = Selectable<WatchlistTable>;

interface RuleRow {
  readonly rule_id: string;
  readonly kind: string;
  readonly params: unknown;
  readonly cooldown_seconds: number;
  readonly min_consecutive: number;
  readonly standings: readonly { readonly symbol: string; readonly state: unknown; readonly recent: readonly RecentTransition[] }[] | null;
}

type ReadRow = WatchlistRow & { readonly rules: readonly RuleRow[] | null };

/** Reads watchlists and rules in one snapshot, unaffected by concurrent changes. */
const withRules = tables
  .selectFrom('watchlist')
  .selectAll()
  .select(
    sql<RuleRow[] | null>`(
      SELECT json_agg(json_build_object('rule_id', rule_id, 'kind', kind, 'params', params, 'cooldown_seconds', cooldown_seconds,
        'min_consecutive', min_consecutive, 'standings',
        (SELECT json_agg(json_build_object('symbol', symbol, 'state', state, 'recent', recent)) FROM rule_state s WHERE s.rule_id = rule.rule_id))
        ORDER BY position)
      FROM rule WHERE rule.watchlist_id = watchlist.watchlist_id)`.as('rules'),
  );

/** Serialises a tenant's changes, so that its limit holds. */
export async function lockTenantWatchlists(on: Queryable, tenantId: string): Promise<void> {
  await on.query(`SELECT pg_advisory_xact_lock(hashtextextended('watchlists ' || $1, 0))`, [tenantId]);
}

export async function countWatchlists(on: Queryable, tenantId: string): Promise<number> {
  const { rows } = await on.query<{ total: number }>('SELECT count(*)::int AS total FROM watchlist WHERE tenant_id = $1', [tenantId]);
  return rows[0]?.total ?? 0;
}

export async function insertWatchlist(on: Queryable, watchlist: Omit<Watchlist, 'rules'>, operationId: string): Promise<void> {
  await run(
    on,
    tables.insertInto('watchlist').values({
      watchlist_id: watchlist.watchlistId,
      tenant_id: watchlist.tenantId,
      operation_id: operationId,
      kind: watchlist.kind,
      name: watchlist.name,
      symbols: JSON.stringify(watchlist.symbols),
      muted: watchlist.muted,
      created_ms: String(watchlist.createdMs),
      updated_ms: String(watchlist.updatedMs),
    }),
  );
}

export async function changeWatchlist(on: Queryable, watchlist: Omit<Watchlist, 'rules'>): Promise<void> {
  const { watchlistId, name, symbols, muted, updatedMs } = watchlist;
  await run(
    on,
    tables
      .updateTable('watchlist')
      .set({ name, symbols: JSON.stringify(symbols), muted, updated_ms: String(updatedMs) })
      .where('watchlist_id', '=', watchlistId),
  );
}

export async function deleteWatchlistRow(on: Queryable, watchlistId: string): Promise<void> {
  await run(on, tables.deleteFrom('watchlist').where('watchlist_id', '=', watchlistId));
}

export async function insertRule(on: Queryable, watchlistId: string, ruleId: string, position: number, spec: RuleSpec): Promise<void> {
  const { kind, params, cooldownSeconds, minConsecutive } = spec;
  const bounds = { cooldown_seconds: cooldownSeconds, min_consecutive: minConsecutive };
  await run(
    on,
    tables
      .insertInto('rule')
      .values({ rule_id: ruleId, watchlist_id: watchlistId, position, kind, params: JSON.stringify(params), ...bounds }),
  );
}

/** Updates a rule that keeps its state; its params may be serialised in another order. */
export async function moveRule(on: Queryable, ruleId: string, position: number, spec: RuleSpec): Promise<void> {
  const { cooldownSeconds, minConsecutive, params } = spec;
  const said = { cooldown_seconds: cooldownSeconds, min_consecutive: minConsecutive, params: JSON.stringify(params) };
  await run(
    on,
    tables
      .updateTable('rule')
      .set({ position, ...said })
      .where('rule_id', '=', ruleId),
  );
}

export async function deleteRule(on: Queryable, ruleId: string): Promise<void> {
  await run(on, tables.deleteFrom('rule').where('rule_id', '=', ruleId));
}

export async function insertRuleStates(on: Queryable, ruleId: string, symbols: readonly string[], nowMs: number): Promise<void> {
  await on.query(
    `INSERT INTO rule_state (rule_id, symbol, state, recent, updated_ms) SELECT $1, symbol, $3, '[]', $4 FROM unnest($2::text[]) AS s (symbol)
     ON CONFLICT (rule_id, symbol) DO NOTHING`,
    [ruleId, symbols, JSON.stringify(NEW_RULE_STATE), nowMs],
  );
}

export async function deleteRuleStates(on: Queryable, ruleId: string, symbols: readonly string[]): Promise<void> {
  await on.query('DELETE FROM rule_state WHERE rule_id = $1 AND symbol = ANY($2)', [ruleId, symbols]);
}

export async function findWatchlist(
  on: Queryable,
  { tenantId, kind, watchlistId }: Pick<Watchlist, 'tenantId' | 'kind' | 'watchlistId'>,
): Promise<Watchlist | undefined> {
  const statement = withRules.where('watchlist_id', '=', watchlistId).where('tenant_id', '=', tenantId).where('kind', '=', kind);
  const { rows } = await run<ReadRow>(on, statement);
  return rows.map(fromRow)[0];
}

export async function findWatchlistOfOperation(on: Queryable, tenantId: string, operationId: string): Promise<Watchlist | undefined> {
  const statement = withRules.where('operation_id', '=', operationId).where('tenant_id', '=', tenantId);
  const { rows } = await run<ReadRow>(on, statement);
  return rows.map(fromRow)[0];
}

export async function listWatchlists(
  on: Queryable,
  { tenantId, kind }: { readonly tenantId: string; readonly kind: WatchlistKind },
  { after, limit }: ListPage,
): Promise<Watchlist[]> {
  let statement = withRules.where('tenant_id', '=', tenantId).where('kind', '=', kind);
  if (after !== undefined) statement = statement.where(sql<boolean>`(created_ms, watchlist_id) < (${after.atMs}, ${after.id})`);
  const { rows } = await run<ReadRow>(on, statement.orderBy('created_ms', 'desc').orderBy('watchlist_id', 'desc').limit(limit));
  return rows.map(fromRow);
}

function fromRow({ rules, ...row }: ReadRow): Watchlist {
  const symbols = row.symbols as readonly string[];
  return {
    watchlistId: row.watchlist_id,
    tenantId: row.tenant_id,
    kind: row.kind,
    name: row.name,
    symbols,
    muted: row.muted,
    createdMs: Number(row.created_ms),
    updatedMs: Number(row.updated_ms),
    rules: (rules ?? []).map((rule) => ruleOf(rule, symbols)),
  };
}

function ruleOf(row: RuleRow, symbols: readonly string[]): WatchedRule {
  const checked = checkRule({
    kind: row.kind,
    params: row.params,
    cooldownSeconds: row.cooldown_seconds,
    minConsecutive: row.min_consecutive,
  });
  if (!('rule' in checked)) throw new Error(`the stored rule ${row.rule_id} is invalid`);
  const bySymbol = new Map((row.standings ?? []).map((standing) => [standing.symbol, standing]));
  const standings = symbols.flatMap((symbol): SymbolRuleState[] => {
    const kept = bySymbol.get(symbol);
    return kept === undefined ? [] : [{ symbol, standing: readRuleState(kept.state), recent: kept.recent }];
  });
  return { ruleId: row.rule_id, spec: checked.rule, standings };
}
