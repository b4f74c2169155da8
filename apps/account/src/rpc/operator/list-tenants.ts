import type { account } from '@market-state/contracts';
import { refuseFaults } from '@market-state/request-checks';
import { listOverviews } from '../../store/tenant-overviews';
import { decodeCursor, encodeCursor, pageFaults } from '../page';
import type { OperatorDeps } from './ensure-tenant';
import { toProtoTenant } from './wire';

/** Every tenant, oldest first, a page at a time. */
export async function listTenants(deps: OperatorDeps, { limit, cursor }: account.ListTenantsRequest): Promise<account.ListTenantsResponse> {
  const after = decodeCursor('t1', cursor);
  refuseFaults(pageFaults(limit, after));
  const start = after === undefined || after === null ? null : { createdMs: after.atMs, tenantId: after.id };
  const tenants = await listOverviews(deps.pool, deps.clock(), limit + 1, start);
  const page = tenants.slice(0, limit);
  const last = tenants.length > limit ? page.at(-1) : undefined;
  return {
    tenants: page.map(toProtoTenant),
    nextCursor: last === undefined ? '' : encodeCursor('t1', { atMs: last.createdMs, id: last.tenantId }),
  };
}
