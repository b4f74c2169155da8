import type { webhook } from '@market-state/contracts';
import { readToken, writeToken } from '@market-state/page-token';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import { z } from 'zod';
import type { SearchDeps } from '../../searches/saved-search';
import { listSearches, type SearchPlace } from '../../store/searches';
import { pageSizeFaults, pageSizeOf, strangeToken } from '../page-size';
import { showSearch } from './show-search';

const TOKEN = z.tuple([z.literal('s1'), z.string(), z.int(), z.string()]);

/** Saved searches of a tenant, newest first. */
export async function listSavedSearches(
  deps: SearchDeps,
  request: webhook.ListSavedSearchesRequest,
): Promise<webhook.ListSavedSearchesResponse> {
  const { tenantId, pageSize, pageToken } = request;
  const after = placeOf(pageToken, tenantId);
  refuseFaults(idFaults('tenant_id', tenantId), pageSizeFaults(pageSize), pageToken === '' || after !== undefined ? [] : strangeToken());
  const most = pageSizeOf(pageSize);
  const found = await listSearches(deps.pool, tenantId, { after, limit: most + 1 });
  const page = found.slice(0, most);
  const last = page.at(-1);
  const hasMore = found.length > most && last !== undefined;
  return {
    savedSearches: page.map(showSearch),
    nextPageToken: hasMore ? writeToken(['s1', tenantId, last.createdMs, last.savedSearchId]) : '',
  };
}

function placeOf(pageToken: string, tenantId: string): SearchPlace | undefined {
  const values = readToken(TOKEN, pageToken);
  if (values === undefined) return undefined;
  const [, ofTenant, createdMs, savedSearchId] = values;
  return ofTenant === tenantId ? { createdMs, savedSearchId } : undefined;
}
