import type { Logger } from '@market-state/logging';
import type { Queryable } from '@market-state/postgres';
import { type DatedRows, deleteOldRows } from './store/old-rows';
import { deleteUntaken } from './store/outbox';

/** Rows that one statement deletes at most, so that none holds much for long. */
export const BATCH_ROWS = 1_000;

const DAY_MS = 86_400_000;

/** For how long events are kept: longer than any period in which one may come again, so that it is written once. */
const EVENTS_KEPT_MS = 45 * DAY_MS;

/** Deletes events that nobody has taken for so long that nobody will want them, and logs how many. */
export async function dropUntaken(db: Queryable, nowMs: number, logger: Logger): Promise<void> {
  const events = await deleteUntaken(db, nowMs - EVENTS_KEPT_MS);
  if (events > 0) logger.error({ events }, 'events that nobody took were dropped');
}

/** What is kept for a time and then forgotten. */
type Rule = DatedRows & { readonly keptMs: number };

const RULES: readonly Rule[] = [
  // A provider sends an event again for days, and its operator may for a month.
  { table: 'provider_event', column: 'received_at', keptMs: 60 * DAY_MS },
  // One that nobody has taken yet has no time here: see `dropUntaken`.
  { table: 'outbox', column: 'taken_at', keptMs: EVENTS_KEPT_MS },
  // After this it counts as a stranger's anyway.
  { table: 'known_address', column: 'seen_at', keptMs: 90 * DAY_MS },
];

/** Deletes what was kept for its time, in batches. @returns how many rows */
export async function forgetOld(db: Queryable, nowMs: number): Promise<number> {
  let total = 0;
  for (const rule of RULES) {
    let deleted: number;
    do {
      deleted = await deleteOldRows(db, rule, nowMs - rule.keptMs, BATCH_ROWS);
      total += deleted;
    } while (deleted === BATCH_ROWS);
  }
  return total;
}
