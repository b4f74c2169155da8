import type { Logger } from '@market-state/logging';
import { type Queryable, run } from '@market-state/postgres';
import { forgetAccountEvents } from './account-events';
import { deleteUnacknowledged } from './outbox';
import { tables } from './tables';

/** Maximum rows per delete statement, to keep locks short. */
export const BATCH_ROWS = 1_000;

const DAY_MS = 86_400_000;

/** Longer than any period in which an event may recur, so that it is written once. */
const EVENTS_KEPT_MS = 45 * DAY_MS;

export async function dropUnacknowledged(db: Queryable, nowMs: number, logger: Logger): Promise<void> {
  const events = await deleteUnacknowledged(db, nowMs - EVENTS_KEPT_MS);
  if (events > 0) logger.error({ events }, 'unacknowledged events dropped');
}

const EXPIRING = ['claim_token', 'email_claim', 'password_reset', 'email_change', 'invitation', 'oidc_login'] as const;

/** Tokens and codes that are no longer valid. */
export async function deleteExpired(db: Queryable, nowMs: number): Promise<void> {
  for (const table of EXPIRING) await run(db, tables.deleteFrom(table).where('expires_at', '<=', new Date(nowMs)));
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
  let total = await deleteInBatches((rowsMax) => forgetAccountEvents(db, rowsMax));
  for (const rule of RULES) total += await deleteInBatches((rowsMax) => deleteOldRows(db, rule, nowMs - rule.keptMs, rowsMax));
  return total;
}

async function deleteInBatches(deleteBatch: (rowsMax: number) => Promise<number>): Promise<number> {
  let total = 0;
  let deleted: number;
  do {
    deleted = await deleteBatch(BATCH_ROWS);
    total += deleted;
  } while (deleted === BATCH_ROWS);
  return total;
}

type DatedRows =
  | { readonly table: 'provider_event'; readonly column: 'received_at' }
  | { readonly table: 'outbox'; readonly column: 'taken_at' }
  | { readonly table: 'known_address'; readonly column: 'seen_at' };

/** Rows with a null time stay. */
async function deleteOldRows(on: Queryable, { table, column }: DatedRows, beforeMs: number, rowsMax: number): Promise<number> {
  const { rowCount } = await on.query(`DELETE FROM ${table} WHERE ctid IN (SELECT ctid FROM ${table} WHERE ${column} < $1 LIMIT $2)`, [
    new Date(beforeMs),
    rowsMax,
  ]);
  return rowCount ?? 0;
}
