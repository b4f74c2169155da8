import type { account } from '@market-state/contracts';
import type { Queryable } from '@market-state/postgres';
import { checkSessionDigest } from './account-fields';
import { toProtoSessionGrant } from './wire';
import * as sessions from '../../sessions/verify-session';

export async function verifySession(
  deps: { readonly pool: Queryable; readonly clock: () => number },
  { sessionDigest }: account.VerifySessionRequest,
): Promise<account.VerifySessionResponse> {
  checkSessionDigest(sessionDigest);
  const session = await sessions.verifySession(deps.pool, sessionDigest, deps.clock());
  return session === null ? {} : { grant: toProtoSessionGrant(session) };
}
