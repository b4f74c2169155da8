import type { Queryable } from '@market-state/postgres';
import { findSessionByDigest, touchSession } from '../store/sessions';
import { isOpen, SESSION_TOUCH_MS, type SessionOfAccount } from './session';

/**
 * The session of a 32 byte digest when it opens something now, its use noted; null alike for one that never was, has ended, or is of a
 * disabled tenant.
 */
export async function verifySession(db: Queryable, digest: Uint8Array, nowMs: number): Promise<SessionOfAccount | null> {
  const session = await findSessionByDigest(db, digest);
  if (session === null || !isOpen(session, nowMs)) return null;
  if (nowMs - session.lastUsedTsMs < SESSION_TOUCH_MS) return session;
  await touchSession(db, digest, nowMs);
  return { ...session, lastUsedTsMs: nowMs };
}
