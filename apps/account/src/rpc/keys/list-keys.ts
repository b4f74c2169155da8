import type { account } from '@market-state/contracts';
import { invalidArgument } from '@market-state/errors';
import { idFaults, optionalIdFaults, refuseFaults } from '@market-state/request-checks';
import type { Queryable } from '@market-state/postgres';
import { decodeCursor, encodeCursor, pageFaults, refuseForeignCursor } from '../page';
import { toProtoRecord, isKeyId, unknownKey } from './wire';
import * as store from '../../store/keys';
import type { Logger } from '@market-state/logging';

interface RevokeKeyDeps {
  readonly pool: Queryable;
  readonly clock: () => number;
  readonly logger: Logger;
}

export async function revokeKey(deps: RevokeKeyDeps, request: account.RevokeKeyRequest): Promise<account.RevokeKeyResponse> {
  refuseFaults(optionalIdFaults('tenant_id', request.tenantId));
  const tenantId = request.tenantId === '' ? null : request.tenantId;
  const revoked = isKeyId(request.keyId) ? await store.revokeKey(deps.pool, request.keyId, tenantId, deps.clock()) : null;
  if (revoked === null) throw unknownKey();
  deps.logger.info({ key_id: request.keyId, tenant_id: revoked.tenantId }, 'key revoked');
  return {};
}

export async function listKeys(
  { pool, clock }: { readonly pool: Queryable; readonly clock: () => number },
  { tenantId, limit, cursor }: account.ListKeysRequest,
): Promise<account.ListKeysResponse> {
  const after = decodeCursor('k1', cursor);
  const faults = [...idFaults('tenant_id', tenantId), ...pageFaults(limit, after)];
  if (faults.length > 0 || after === undefined) throw invalidArgument(faults);
  await refuseForeignCursor(pool, 'api_key', tenantId, after);
  const keys = await store.listKeys(pool, tenantId, limit + 1, after);
  const page = keys.slice(0, limit);
  const last = keys.length > limit ? page.at(-1) : undefined;
  return {
    keys: page.map((key) => toProtoRecord(key, clock())),
    nextCursor: last === undefined ? '' : encodeCursor('k1', { atMs: last.createdTsMs, id: last.id }),
  };
}
