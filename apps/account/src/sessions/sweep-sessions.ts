import type { Queryable } from '@market-state/postgres';
import { deleteEndedSessions } from '../store/sessions';
import { SESSION_IDLE_MS } from './session';

/** Deletes the sessions whose time is over; how many. */
export function sweepSessions(db: Queryable, nowMs: number): Promise<number> {
  return deleteEndedSessions(db, nowMs, nowMs - SESSION_IDLE_MS);
}
