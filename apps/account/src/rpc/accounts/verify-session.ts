import type { account } from '@market-state/contracts';
import { verifySession } from '../../sessions/verify-session';
import type { Queryable } from '../../store/queryable';
import { checkSessionDigest } from './account-fields';
import { toProtoSessionGrant } from './wire';

export function createVerifySession(deps: { readonly pool: Queryable; readonly clock: () => number }) {
  return async function verifySessionRpc({ sessionDigest }: account.VerifySessionRequest): Promise<account.VerifySessionResponse> {
    checkSessionDigest(sessionDigest);
    const session = await verifySession(deps.pool, sessionDigest, deps.clock());
    return session === null ? {} : { grant: toProtoSessionGrant(session) };
  };
}
