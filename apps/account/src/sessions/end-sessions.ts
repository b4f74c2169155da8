import type { Queryable } from '@market-state/postgres';
import { SESSION_IDLE_MS } from './session';

/** Ends one session, if it is there. */
export async function endSession(db: Queryable, digest: Uint8Array): Promise<void> {
  await db.query('DELETE FROM session WHERE digest = $1', [digest]);
}

/** Ends every session of an account; how many. */
export async function endSessionsOf(db: Queryable, accountId: string): Promise<number> {
  const { rowCount } = await db.query('DELETE FROM session WHERE account_id = $1', [accountId]);
  return rowCount ?? 0;
}

/** Deletes the sessions whose time is over; how many. */
export async function sweepSessions(db: Queryable, nowMs: number): Promise<number> {
  const { rowCount } = await db.query('DELETE FROM session WHERE expires_at <= $1 OR last_used_at <= $2', [
    new Date(nowMs),
    new Date(nowMs - SESSION_IDLE_MS),
  ]);
  return rowCount ?? 0;
}
