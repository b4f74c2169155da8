import type { RuleSpec } from '@market-state/alert-rules';
import { resourceExhausted } from '@market-state/errors';
import { inTransaction, type Queryable } from '@market-state/postgres';
import { limitsOf } from '@market-state/pricing';
import { newId } from '../ids';
import { bumpRuleVersions } from '../store/rule-versions';
import { countWatchlists, findWatchlistOfOperation, insertWatchlist, lockTenantWatchlists } from '../store/watchlists';
import { changeRules } from './change-rules';
import { requireWatchlist } from './require-watchlist';
import type { Watchlist } from './watchlist';
import type { WatchlistDeps } from './watchlist-deps';

/** A watchlist that is ordered. */
export interface WatchlistOrder extends Pick<Watchlist, 'tenantId' | 'kind' | 'name' | 'symbols'> {
  readonly planId: string;
  readonly operationId: string;
  readonly rules: readonly RuleSpec[];
}

/**
 * Makes a watchlist whose rules are looked at from the next packet on.
 * @throws ServiceError RESOURCE_EXHAUSTED `too_many_watchlists`
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
  throw resourceExhausted('too_many_watchlists', `The plan allows ${most} watchlists and alerts, and all are in use: delete one first.`, {
    metadata: { limit: String(most) },
  });
}
