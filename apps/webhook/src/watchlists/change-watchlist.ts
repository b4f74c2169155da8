import { endRuleEpisode, hasSameCondition, type RuleSpec } from '@market-state/alert-rules';
import { notFound, resourceExhausted } from '@market-state/errors';
import { readMarket } from '@market-state/market-data';
import { inTransaction, type Queryable } from '@market-state/postgres';
import { limitsOf } from '@market-state/pricing';
import type { WakeUp } from '../delivery/wake-ups';
import { newId } from '../ids';
import { type MessageDraft, OPERATIONAL_META } from '../messages/message';
import { recordMessages } from '../messages/record-messages';
import { bumpRuleVersions } from '../store/evaluation';
import {
  insertRuleStates,
  changeWatchlist,
  countWatchlists,
  deleteRule,
  deleteRuleStates,
  deleteWatchlistRow,
  findWatchlist,
  findWatchlistOfOperation,
  insertRule,
  insertWatchlist,
  lockTenantWatchlists,
  moveRule,
} from '../store/watchlists';
import type { SymbolRuleState, WatchedRule, Watchlist, WatchlistDeps } from './watchlist';

type WatchlistKey = Pick<Watchlist, 'tenantId' | 'kind' | 'watchlistId'>;

interface WatchlistOrder extends Pick<Watchlist, 'tenantId' | 'kind' | 'name' | 'symbols'> {
  readonly planId: string;
  readonly operationId: string;
  readonly rules: readonly RuleSpec[];
}

interface WatchlistChange {
  readonly name: string | undefined;
  readonly symbols: readonly string[] | undefined;
  readonly rules: readonly RuleSpec[] | undefined;
  readonly muted: boolean | undefined;
}

/** @throws ServiceError `unknown_watchlist`, also for another tenant's or the other kind */
export async function requireWatchlist(on: Queryable, key: Pick<Watchlist, 'tenantId' | 'kind' | 'watchlistId'>): Promise<Watchlist> {
  const watchlist = await findWatchlist(on, key);
  if (watchlist !== undefined) return watchlist;
  throw notFound('unknown_watchlist', key.kind === 'alert' ? 'There is no such alert.' : 'There is no such watchlist.');
}

/**
 * Rules are evaluated from the next packet.
 * @throws ServiceError `too_many_watchlists`
 */
export async function createWatchlist({ pool, clock }: WatchlistDeps, order: WatchlistOrder): Promise<Watchlist> {
  const { tenantId, kind, name, symbols, rules, operationId } = order;
  const nowMs = clock();
  return inTransaction(pool, async (client) => {
    await lockTenantWatchlists(client, tenantId);
    const earlier = await findWatchlistOfOperation(client, tenantId, operationId);
    if (earlier !== undefined) return earlier;
    await refuseTooMany(client, order);
    await bumpRuleVersions(client, symbols);
    const watchlistId = newId(kind === 'alert' ? 'al' : 'wl');
    const empty = { watchlistId, tenantId, kind, name, symbols, muted: false, createdMs: nowMs, updatedMs: nowMs, rules: [] };
    await insertWatchlist(client, empty, operationId);
    await changeRules(client, empty, rules, symbols, nowMs);
    return requireWatchlist(client, empty);
  });
}

async function refuseTooMany(on: Queryable, { tenantId, planId }: WatchlistOrder): Promise<void> {
  const most = limitsOf(planId).watchlists;
  if ((await countWatchlists(on, tenantId)) < most) return;
  throw resourceExhausted('too_many_watchlists', `The plan allows ${most} watchlists and alerts, and all are in use. Delete one first.`, {
    metadata: { limit: String(most) },
  });
}

/** Locks the rule versions first: see `bumpRuleVersions`. */
export async function updateWatchlist(deps: WatchlistDeps, key: WatchlistKey, change: WatchlistChange): Promise<Watchlist> {
  const { pool, notifier, clock } = deps;
  const nowMs = clock();
  const { after, wakeUps } = await inTransaction(pool, async (client) => {
    await lockTenantWatchlists(client, key.tenantId);
    const named = await requireWatchlist(client, key);
    await bumpRuleVersions(client, [...named.symbols, ...(change.symbols ?? [])]);
    const before = await requireWatchlist(client, key);
    const { name = before.name, symbols = before.symbols, muted = before.muted } = change;
    const rules = change.rules ?? before.rules.map(({ spec }) => spec);
    await changeWatchlist(client, { ...before, name, symbols, muted, updatedMs: nowMs });
    const ended = await changeRules(client, before, rules, symbols, nowMs);
    return { wakeUps: await reportEnded(client, before, ended, nowMs), after: await requireWatchlist(client, key) };
  });
  await notifier.notify(wakeUps);
  return after;
}

/** Sends the end of its open episodes. */
export async function deleteWatchlist({ pool, notifier, clock }: WatchlistDeps, key: WatchlistKey): Promise<Watchlist> {
  const { before, wakeUps } = await inTransaction(pool, async (client) => {
    await lockTenantWatchlists(client, key.tenantId);
    const { symbols } = await requireWatchlist(client, key);
    await bumpRuleVersions(client, symbols);
    const before = await requireWatchlist(client, key);
    await deleteWatchlistRow(client, key.watchlistId);
    const ended = before.rules.flatMap((rule) => rule.standings.map((standing) => ({ rule, standing })));
    return { before, wakeUps: await reportEnded(client, before, ended, clock()) };
  });
  await notifier.notify(wakeUps);
  return before;
}

/**
 * A rule whose kind and params are unchanged keeps its state.
 * @returns states that end
 */
async function changeRules(
  on: Queryable,
  before: Watchlist,
  specs: readonly RuleSpec[],
  symbols: readonly string[],
  nowMs: number,
): Promise<{ rule: WatchedRule; standing: SymbolRuleState }[]> {
  const left = [...before.rules];
  const ended: { rule: WatchedRule; standing: SymbolRuleState }[] = [];
  const goneSymbols = before.symbols.filter((symbol) => !symbols.includes(symbol));
  for (const [position, spec] of specs.entries()) {
    const at = left.findIndex((rule) => hasSameCondition(rule.spec, spec));
    const [kept] = at < 0 ? [] : left.splice(at, 1);
    const ruleId = kept?.ruleId ?? newId('rul');
    if (kept === undefined) await insertRule(on, before.watchlistId, ruleId, position, spec);
    else {
      await moveRule(on, ruleId, position, spec);
      await deleteRuleStates(on, ruleId, goneSymbols);
      ended.push(...endedOf(kept, (symbol) => goneSymbols.includes(symbol)));
    }
    await insertRuleStates(on, ruleId, symbols, nowMs);
  }
  for (const rule of left) {
    await deleteRule(on, rule.ruleId);
    ended.push(...endedOf(rule, () => true));
  }
  return ended;
}

function endedOf(rule: WatchedRule, ends: (symbol: string) => boolean): { rule: WatchedRule; standing: SymbolRuleState }[] {
  return rule.standings.filter(({ symbol }) => ends(symbol)).map((standing) => ({ rule, standing }));
}

/** In the transaction that removes their rules. */
async function reportEnded(
  on: Queryable,
  watchlist: Watchlist,
  ended: readonly { readonly rule: WatchedRule; readonly standing: SymbolRuleState }[],
  nowMs: number,
): Promise<WakeUp[]> {
  if (watchlist.muted) return [];
  const drafts = ended.flatMap(({ rule, standing }) => endedNotice(watchlist, rule, standing));
  return (await recordMessages(on, drafts, nowMs)).wakeUps;
}

function endedNotice(watchlist: Watchlist, { ruleId, spec }: WatchedRule, { symbol, standing }: SymbolRuleState): MessageDraft[] {
  const notice = endRuleEpisode(standing);
  if (notice === undefined) return [];
  const { tenantId, watchlistId, kind, name } = watchlist;
  const data = {
    watchlist_id: watchlistId,
    watchlist_kind: kind,
    watchlist_name: name,
    rule_id: ruleId,
    phase: notice.phase,
    episode_id: notice.episodeId,
    transition: notice.transition,
    condition: { kind: spec.kind, params: spec.params },
    ...readMarket(symbol),
  };
  const occasion = `alert ${ruleId} ${symbol} ${notice.transition} ended`;
  return [{ tenantId, eventKind: 'alert.triggered', occasion, symbol, data, meta: OPERATIONAL_META, credits: 1 }];
}
