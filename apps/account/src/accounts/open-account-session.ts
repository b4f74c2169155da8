import type { Queryable } from '@market-state/postgres';
import { openSession } from '../sessions/open-session';
import type { AccountsDeps, OpenedSession } from './deps';
import { rememberAddress } from './known-address';

/**
 * Opens a session for an account whose owner has proved to be there, in the caller's transaction, and notes the address; null when the
 * account's tenant is disabled.
 */
export async function openAccountSession(
  deps: Pick<AccountsDeps, 'clock' | 'randomBytes'>,
  db: Queryable,
  accountId: string,
  network: string,
): Promise<OpenedSession | null> {
  const { rows } = await db.query<{ tenant_id: string; plan_id: string | null }>(
    'SELECT a.tenant_id, t.plan_id FROM account a JOIN tenant t ON t.id = a.tenant_id WHERE a.id = $1 AND NOT t.disabled FOR SHARE OF t',
    [accountId],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const session = await openSession(db, accountId, deps);
  await rememberAddress(db, accountId, network, session.openedTsMs);
  return { ...session, accountId, tenantId: row.tenant_id, planId: row.plan_id };
}
