import type { account } from '@market-state/contracts';
import { invalidArgument } from '@market-state/errors';
import type { Queryable } from '../../store/queryable';
import { listKeys } from '../../store/read-keys';
import { idFaults } from '../fields';
import { decodeCursor, encodeCursor, pageFaults, refuseForeignCursor } from '../page';
import { toProtoRecord } from './wire';

export function createListKeys({ pool }: { readonly pool: Queryable }) {
  return async function listKeysRpc({ tenantId, limit, cursor }: account.ListKeysRequest): Promise<account.ListKeysResponse> {
    const after = decodeCursor('k1', cursor);
    const faults = [...idFaults('tenant_id', tenantId), ...pageFaults(limit, after)];
    if (faults.length > 0 || after === undefined) throw invalidArgument(faults);
    await refuseForeignCursor(pool, 'api_key', tenantId, after);
    const keys = await listKeys(pool, tenantId, limit + 1, after);
    const page = keys.slice(0, limit);
    const last = keys.length > limit ? page.at(-1) : undefined;
    return {
      keys: page.map(toProtoRecord),
      nextCursor: last === undefined ? '' : encodeCursor('k1', { atMs: last.createdTsMs, id: last.id }),
    };
  };
}
