import type { Queryable } from '@market-state/postgres';
import { sweepSessions } from '../sessions/end-sessions';
import { dropOldStamps } from '../store/throttle-rows';

/** Longer than any limit looks back. */
const STAMPS_KEPT_MS = 2 * 86_400_000;

/** Forgets what time has ended: sessions, tokens, and attempts that no limit counts any more. */
export async function sweepAccounts(db: Queryable, nowMs: number): Promise<void> {
  await sweepSessions(db, nowMs);
  await dropOldStamps(db, nowMs - STAMPS_KEPT_MS);
  await db.query('DELETE FROM claim_token WHERE expires_at <= $1', [new Date(nowMs)]);
  await db.query('DELETE FROM email_claim WHERE expires_at <= $1', [new Date(nowMs)]);
  await db.query('DELETE FROM password_reset WHERE expires_at <= $1', [new Date(nowMs)]);
}
