import type { webhook } from '@market-state/contracts';
import { readToken, writeToken } from '@market-state/page-token';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import { z } from 'zod';
import { listWatchlists as list, type WatchlistPlace } from '../../store/watchlists';
import { kindOf } from '../../watchlists/faults';
import type { WatchlistDeps } from '../../watchlists/watchlist-deps';
import { pageSizeFaults, pageSizeOf, strangeToken } from '../page-size';
import { showWatchlist } from './show-watchlist';

const TOKEN = z.tuple([z.literal('w1'), z.string(), z.string(), z.int(), z.string()]);

/** Watchlists or alerts of a tenant, newest first. */
export async function listWatchlists(deps: WatchlistDeps, request: webhook.ListWatchlistsRequest): Promise<webhook.ListWatchlistsResponse> {
  const { tenantId, pageSize, pageToken } = request;
  const kind = kindOf(request.kind);
  const after = placeOf(pageToken, tenantId, kind);
  refuseFaults(idFaults('tenant_id', tenantId), pageSizeFaults(pageSize), pageToken === '' || after !== undefined ? [] : strangeToken());
  const most = pageSizeOf(pageSize);
  const found = await list(deps.pool, { tenantId, kind }, { after, limit: most + 1 });
  const page = found.slice(0, most);
  const last = page.at(-1);
  const hasMore = found.length > most && last !== undefined;
  return {
    watchlists: page.map(showWatchlist),
    nextPageToken: hasMore ? writeToken(['w1', tenantId, kind, last.createdMs, last.watchlistId]) : '',
  };
}

function placeOf(pageToken: string, tenantId: string, kind: string): WatchlistPlace | undefined {
  const values = readToken(TOKEN, pageToken);
  if (values === undefined) return undefined;
  const [, ofTenant, ofKind, createdMs, watchlistId] = values;
  return ofTenant === tenantId && ofKind === kind ? { createdMs, watchlistId } : undefined;
}
