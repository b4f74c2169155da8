import type { Queryable } from '@market-state/postgres';
import { openSession } from '../sessions/open-session';
import { shareTenantOfAccount } from '../store/accounts';
import type { AccountsDeps, OpenedSession } from './deps';
import { rememberAddress } from './known-address';
import { planTermsOf } from '../credits';

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
  const tenant = await shareTenantOfAccount(db, accountId);
  if (tenant === null) return null;
  const session = await openSession(db, accountId, deps);
  await rememberAddress(db, accountId, network, session.openedTsMs);
  const { tenantId, plan } = tenant;
  return { ...session, accountId, tenantId, planId: plan.planId, terms: planTermsOf(plan, session.openedTsMs) };
}
