import { formatSecret, SECRET_SIZE_BYTES, secretDigest } from '@market-state/credentials';
import { unauthenticated } from '@market-state/errors';
import type { Queryable } from '@market-state/postgres';
import {
  deleteEndedSessions,
  findSessionByDigest,
  touchSession,
  deleteOldestSessions,
  insertSession,
  type SessionOfAccount,
} from '../store/sessions';
import { findAccount, lockAccount, shareTenantOfAccount, type StoredAccount } from '../store/accounts';
import type { AccountsDeps, OpenedSession } from './deps';
import { rememberAddress } from './network';
import { planTermsOf } from '../credits/plan-terms';

/** Also records the address. Null if the tenant is disabled. */
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
  const { tenantId, role, plan } = tenant;
  return { ...session, accountId, tenantId, role, planId: plan.planId, terms: planTermsOf(plan, session.openedTsMs) };
}

/** A session ends at the earlier of the two. */
const SESSION_LIFE_MS = 24 * 3_600_000;
export const SESSION_IDLE_MS = 2 * 3_600_000;

/** One more ends the oldest. */
const SESSIONS_MAX = 10;

const SESSION_TOUCH_MS = 60_000;

/** The secret is returned only here. */
async function openSession(
  db: Queryable,
  accountId: string,
  deps: Pick<AccountsDeps, 'clock' | 'randomBytes'>,
): Promise<{ secret: string; openedTsMs: number; expiresTsMs: number }> {
  const secret = formatSecret(deps.randomBytes(SECRET_SIZE_BYTES));
  const openedTsMs = deps.clock();
  const expiresTsMs = openedTsMs + SESSION_LIFE_MS;
  // Serialises the logins of an account.
  await lockAccount(db, accountId);
  const digest = secretDigest(secret);
  await insertSession(db, { digest, accountId, openedTsMs, expiresTsMs });
  await deleteOldestSessions(db, accountId, digest, SESSIONS_MAX - 1);
  return { secret, openedTsMs, expiresTsMs };
}

/** Records the use. Null if the session is unknown or ended, or its tenant is disabled. */
export async function verifySession(db: Queryable, digest: Uint8Array, nowMs: number): Promise<SessionOfAccount | null> {
  const session = await findSessionByDigest(db, digest);
  if (session === null || !isOpen(session, nowMs)) return null;
  if (nowMs - session.lastUsedTsMs < SESSION_TOUCH_MS) return session;
  await touchSession(db, digest, nowMs);
  return { ...session, lastUsedTsMs: nowMs };
}

/**
 * Account of an open session.
 * @param isLocked locks its row until the transaction ends
 * @throws ServiceError `unauthenticated`
 */
export async function accountOfSession(db: Queryable, sessionDigest: Uint8Array, nowMs: number, isLocked = false): Promise<StoredAccount> {
  const session = await verifySession(db, sessionDigest, nowMs);
  const account = session === null ? null : await findAccount(db, session.accountId, isLocked);
  // The session may have ended while its account was locked.
  if (account === null || (isLocked && (await verifySession(db, sessionDigest, nowMs)) === null))
    throw unauthenticated('unauthenticated', 'The session has ended.');
  return account;
}

export function sweepSessions(db: Queryable, nowMs: number): Promise<number> {
  return deleteEndedSessions(db, nowMs, nowMs - SESSION_IDLE_MS);
}

function isOpen({ lastUsedTsMs, expiresTsMs }: SessionOfAccount, nowMs: number): boolean {
  return nowMs < expiresTsMs && nowMs < lastUsedTsMs + SESSION_IDLE_MS;
}
