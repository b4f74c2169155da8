import type { account } from '@market-state/contracts';
import { endSession } from '../../sessions/end-sessions';
import type { Queryable } from '../../store/queryable';
import { checkSessionDigest } from './account-fields';

export function createLogout(deps: { readonly pool: Queryable }) {
  return async function logoutRpc({ sessionDigest }: account.LogoutRequest): Promise<account.LogoutResponse> {
    checkSessionDigest(sessionDigest);
    await endSession(deps.pool, sessionDigest);
    return {};
  };
}
