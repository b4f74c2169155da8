import type { webhook } from '@market-state/contracts';
import { readToken, writeToken } from '@market-state/page-token';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import { z } from 'zod';
import type { EndpointDeps } from '../../endpoints/endpoint-deps';
import { type EndpointPlace, listEndpoints as list } from '../../store/endpoints';
import { pageSizeFaults, pageSizeOf, strangeToken } from '../page-size';
import { showEndpoints } from './show-endpoint';

const TOKEN = z.tuple([z.literal('e1'), z.string(), z.int(), z.string()]);

/** Endpoints of a tenant, newest first. */
export async function listEndpoints(deps: EndpointDeps, request: webhook.ListEndpointsRequest): Promise<webhook.ListEndpointsResponse> {
  const { tenantId, pageSize, pageToken } = request;
  const after = placeOf(request);
  refuseFaults(idFaults('tenant_id', tenantId), pageSizeFaults(pageSize), pageToken === '' || after !== undefined ? [] : strangeToken());
  const most = pageSizeOf(pageSize);
  const found = await list(deps.pool, tenantId, { after, limit: most + 1 });
  const page = found.slice(0, most);
  const last = page.at(-1);
  const hasMore = found.length > most && last !== undefined;
  return {
    endpoints: await showEndpoints(deps, page),
    nextPageToken: hasMore ? writeToken(['e1', tenantId, last.createdMs, last.endpointId]) : '',
  };
}

function placeOf({ tenantId, pageToken }: webhook.ListEndpointsRequest): EndpointPlace | undefined {
  const values = readToken(TOKEN, pageToken);
  if (values === undefined) return undefined;
  const [, ofTenant, createdMs, endpointId] = values;
  return ofTenant === tenantId ? { createdMs, endpointId } : undefined;
}
