import type { Queryable } from '@market-state/postgres';
import { isOpen, SESSION_TOUCH_MS, type SessionOfAccount } from './session';

/**
 * The session of a 32 byte digest when it opens something now, its use noted; null alike for one that never was, has ended, or is of a
 * disabled tenant.
 */
export async function verifySession(db: Queryable, digest: Uint8Array, nowMs: number): Promise<SessionOfAccount | null> {
  const { rows } = await db.query<{ account_id: string; tenant_id: string; plan_id: string | null; last_used_at: Date; expires_at: Date }>({
    name: 'find-session-by-digest',
    text: `SELECT s.account_id, a.tenant_id, t.plan_id, s.last_used_at, s.expires_at
           FROM session s JOIN account a ON a.id = s.account_id JOIN tenant t ON t.id = a.tenant_id
           WHERE s.digest = $1 AND NOT t.disabled`,
    values: [digest],
  });
  const [row] = rows;
  if (row === undefined) return null;
  const session: SessionOfAccount = {
    accountId: row.account_id,
    tenantId: row.tenant_id,
    planId: row.plan_id,
    lastUsedTsMs: row.last_used_at.getTime(),
    expiresTsMs: row.expires_at.getTime(),
  };
  if (!isOpen(session, nowMs)) return null;
  if (nowMs - session.lastUsedTsMs < SESSION_TOUCH_MS) return session;
  await db.query('UPDATE session SET last_used_at = greatest(last_used_at, $2) WHERE digest = $1', [digest, new Date(nowMs)]);
  return { ...session, lastUsedTsMs: nowMs };
}
