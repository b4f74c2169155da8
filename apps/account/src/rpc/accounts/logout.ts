import type { account } from '@market-state/contracts';
import type { Queryable } from '@market-state/postgres';
import { deleteSession, deleteSessionsOfAccount } from '../../store/sessions';
import { checkSessionDigest } from './account-fields';

export async function logout(
  deps: { readonly pool: Queryable },
  { sessionDigest, everywhere }: account.LogoutRequest,
): Promise<account.LogoutResponse> {
  checkSessionDigest(sessionDigest);
  await (everywhere ? deleteSessionsOfAccount : deleteSession)(deps.pool, sessionDigest);
  return {};
}
