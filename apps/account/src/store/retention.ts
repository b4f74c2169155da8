import type { Logger } from '@market-state/logging';
import type { Queryable } from '@market-state/postgres';
import { type DatedRows, deleteOldRows } from './store/old-rows';
import { deleteUnacknowledged } from './store/outbox';

/** Maximum rows per delete statement, to keep locks short. */
export const BATCH_ROWS = 1_000;

const DAY_MS = 86_400_000;

/** Longer than any period in which an event may recur, so that it is written once. */
const EVENTS_KEPT_MS = 45 * DAY_MS;

export async function dropUnacknowledged(db: Queryable, nowMs: number, logger: Logger): Promise<void> {
  const events = await deleteUnacknowledged(db, nowMs - EVENTS_KEPT_MS);
  if (events > 0) logger.error({ events }, 'unacknowledged events dropped');
}

type Rule = DatedRows & { readonly keptMs: number };

const RULES: readonly Rule[] = [
  // A provider resends an event for days; its operator may do so for a month.
  { table: 'provider_event', column: 'received_at', keptMs: 60 * DAY_MS },
  // Unacknowledged events have their own retention: see `dropUnacknowledged`.
  { table: 'outbox', column: 'taken_at', keptMs: EVENTS_KEPT_MS },
  // Older addresses are no longer considered known.
  { table: 'known_address', column: 'seen_at', keptMs: 90 * DAY_MS },
];

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
