import type { account } from '@market-state/contracts';
import { invalidArgument } from '@market-state/errors';
import { type KeyPlace, listKeys } from '../../store/read-keys';
import type { Queryable } from '../../store/queryable';
import { idFaults } from '../fields';
import { limitFaults } from '../page';
import { isKeyId } from './key-fields';
import { toProtoRecord } from './wire';

export function createListKeys(deps: { readonly pool: Queryable }) {
  return async function listKeysRpc(request: account.ListKeysRequest): Promise<account.ListKeysResponse> {
    const after = readCursor(request.cursor);
    const faults = [
      ...idFaults('tenant_id', request.tenantId),
      ...limitFaults(request.limit),
      ...(after === undefined ? [{ field: 'cursor', message: 'must be a cursor of the page before', type: 'malformed' }] : []),
    ];
    if (faults.length > 0 || after === undefined) throw invalidArgument(faults);
    const keys = await listKeys(deps.pool, request.tenantId, request.limit + 1, after);
    const page = keys.slice(0, request.limit);
    const last = page.at(-1);
    return { keys: page.map(toProtoRecord), nextCursor: keys.length > page.length && last !== undefined ? toCursor(last) : '' };
  };
}

function toCursor({ createdTsMs, id }: KeyPlace): string {
  return Buffer.from(`${createdTsMs}.${id}`).toString('base64url');
}

/** Null for the first page; undefined for a text that is no cursor. */
function readCursor(cursor: string): KeyPlace | null | undefined {
  if (cursor === '') return null;
  const match = /^(\d{1,15})\.(key_[0-9a-z]{26})$/.exec(cursor.length > 100 ? '' : Buffer.from(cursor, 'base64url').toString('latin1'));
  if (match?.[1] === undefined || match[2] === undefined || !isKeyId(match[2])) return undefined;
  return { createdTsMs: Number(match[1]), id: match[2] };
}
