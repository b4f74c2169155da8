import type { Logger } from '@market-state/logging';
import type { Queryable } from '@market-state/postgres';
import { deleteUntaken } from '../store/outbox';
import { EVENTS_KEPT_MS } from './forget-old';

/** Deletes events that nobody has taken for so long that nobody will want them, and logs how many. */
export async function dropUntaken(db: Queryable, nowMs: number, logger: Logger): Promise<void> {
  const events = await deleteUntaken(db, nowMs - EVENTS_KEPT_MS);
  if (events > 0) logger.error({ events }, 'events that nobody took were dropped');
}
