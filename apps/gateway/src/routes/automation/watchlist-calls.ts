import { webhook as contract, type webhook } from '@market-state/contracts';
import type { FieldLocation } from '../../clients/from-webhooks';
import type { Upstreams } from '../../clients/upstreams';
import { type CallContext, grantOf } from '../../serving/answers/handler';
import { newOperationId } from '../../serving/metering/meter';
import { fromAlerts, fromWatchlists, showAlert, showWatchlist } from './watchlist-rules';

export type WatchlistsDeps = Pick<Upstreams, 'watchlists'>;

interface WatchlistVariant<Shown> {
  readonly kind: contract.WatchlistKind;
  readonly from: <T>(answer: Promise<T>, place?: FieldLocation) => Promise<T>;
  readonly show: (watchlist: contract.Watchlist | undefined) => Shown;
}

type Fields = Pick<webhook.CreateWatchlistRequest, 'name' | 'symbols' | 'rules'>;
type Changes = Pick<webhook.UpdateWatchlistRequest, 'name' | 'symbols' | 'muted'> & { readonly rules?: webhook.RuleSpec[] };
type Caller = Pick<CallContext, 'grant' | 'ownTry'>;

/** Calls on the tenant's watchlists of one kind; each returns them as answers show them. */
function callsOf<Shown>({ watchlists: { call } }: WatchlistsDeps, { kind, from, show }: WatchlistVariant<Shown>) {
  return {
    async create(caller: Caller, fields: Fields): Promise<Shown> {
      const { tenantId, plan } = grantOf(caller);
      const operationId = caller.ownTry?.operationId ?? newOperationId();
      const { watchlist } = await from(call.createWatchlist({ tenantId, planId: plan.planId, operationId, kind, ...fields }));
      return show(watchlist);
    },
    async list(caller: Caller, { limit, cursor }: { readonly limit: number; readonly cursor: string }) {
      const { tenantId } = grantOf(caller);
      const page = await from(call.listWatchlists({ tenantId, kind, pageSize: limit, pageToken: cursor }), 'query');
      return {
        shown: page.watchlists.map(show),
        around: { row_total: page.watchlists.length, next_cursor: page.nextPageToken === '' ? null : page.nextPageToken },
      };
    },
    async get(caller: Caller, watchlistId: string): Promise<Shown> {
      const { tenantId } = grantOf(caller);
      return show((await from(call.getWatchlist({ tenantId, kind, watchlistId }))).watchlist);
    },
    async update(caller: Caller, watchlistId: string, { rules, ...changes }: Changes): Promise<Shown> {
      const { tenantId } = grantOf(caller);
      const newRules = rules === undefined ? undefined : { rules };
      return show((await from(call.updateWatchlist({ tenantId, kind, watchlistId, ...changes, rules: newRules }))).watchlist);
    },
    async delete(caller: Caller, watchlistId: string): Promise<Shown> {
      const { tenantId } = grantOf(caller);
      return show((await from(call.deleteWatchlist({ tenantId, kind, watchlistId }))).watchlist);
    },
  };
}

export const watchlistCalls = (deps: WatchlistsDeps) =>
  callsOf(deps, { kind: contract.WatchlistKind.WATCHLIST, from: fromWatchlists, show: showWatchlist });

/** An alert is a watchlist with one symbol and one rule. */
export const alertCalls = (deps: WatchlistsDeps) =>
  callsOf(deps, { kind: contract.WatchlistKind.ALERT, from: fromAlerts, show: showAlert });
