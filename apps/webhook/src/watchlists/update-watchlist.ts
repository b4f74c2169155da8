import type { RuleSpec } from '@market-state/alert-rules';
import { inTransaction } from '@market-state/postgres';
import { bumpRuleVersions } from '../store/rule-versions';
import { changeWatchlist, deleteWatchlistRow, lockTenantWatchlists } from '../store/watchlists';
import { changeRules } from './change-rules';
import { tellEnded } from './end-rules';
import { requireWatchlist } from './require-watchlist';
import type { Watchlist } from './watchlist';
import type { WatchlistDeps } from './watchlist-deps';

type WatchlistKey = Pick<Watchlist, 'tenantId' | 'kind' | 'watchlistId'>;

/** What is to be set; what is undefined stays. */
export interface WatchlistChange {
  readonly name: string | undefined;
  readonly symbols: readonly string[] | undefined;
  readonly rules: readonly RuleSpec[] | undefined;
  readonly muted: boolean | undefined;
}

/** Sets what a change has. No packet is looked at by rules that are being changed: their versions are locked first. */
export async function updateWatchlist(deps: WatchlistDeps, key: WatchlistKey, change: WatchlistChange): Promise<Watchlist> {
  const { pool, bell, clock } = deps;
  const nowMs = clock();
  const { after, rings } = await inTransaction(pool, async (client) => {
    await lockTenantWatchlists(client, key.tenantId);
    const named = await requireWatchlist(client, key);
    await bumpRuleVersions(client, [...named.symbols, ...(change.symbols ?? [])]);
    const before = await requireWatchlist(client, key);
    const { name = before.name, symbols = before.symbols, muted = before.muted } = change;
    const rules = change.rules ?? before.rules.map(({ spec }) => spec);
    await changeWatchlist(client, { ...before, name, symbols, muted, updatedMs: nowMs });
    const ended = await changeRules(client, before, rules, symbols, nowMs);
    return { rings: await tellEnded(client, before, ended, nowMs), after: await requireWatchlist(client, key) };
  });
  await bell.ring(rings);
  return after;
}

/** Deletes a watchlist; its open episodes are told to have ended. @returns it as it was */
export async function deleteWatchlist({ pool, bell, clock }: WatchlistDeps, key: WatchlistKey): Promise<Watchlist> {
  const { before, rings } = await inTransaction(pool, async (client) => {
    await lockTenantWatchlists(client, key.tenantId);
    const { symbols } = await requireWatchlist(client, key);
    await bumpRuleVersions(client, symbols);
    const before = await requireWatchlist(client, key);
    await deleteWatchlistRow(client, key.watchlistId);
    const ended = before.rules.flatMap((rule) => rule.standings.map((standing) => ({ rule, standing })));
    return { before, rings: await tellEnded(client, before, ended, clock()) };
  });
  await bell.ring(rings);
  return before;
}
