import type { Queryable } from '@market-state/postgres';

/** Rows that one statement deletes at most, so that none holds much for long. */
export const BATCH_ROWS = 1_000;

const DAY_MS = 86_400_000;

/** What is kept for a time and then forgotten. */
interface Rule {
  readonly table: string;
  /** Holds for rows whose time is over at $1. */
  readonly isOver: string;
  readonly keptMs: number;
}

const RULES: readonly Rule[] = [
  // A provider sends an event again for days, and its operator may for a month.
  { table: 'provider_event', isOver: 'received_at < $1', keptMs: 60 * DAY_MS },
  // One that nobody has taken yet is kept, however old.
  { table: 'outbox', isOver: 'taken_at < $1', keptMs: 30 * DAY_MS },
  // After this it counts as a stranger's anyway.
  { table: 'known_address', isOver: 'seen_at < $1', keptMs: 90 * DAY_MS },
];

/** Deletes what was kept for its time, in batches. @returns how many rows */
export async function forgetOld(db: Queryable, nowMs: number): Promise<number> {
  let total = 0;
  for (const { table, isOver, keptMs } of RULES) {
    let deleted: number;
    do {
      const { rowCount } = await db.query(`DELETE FROM ${table} WHERE ctid IN (SELECT ctid FROM ${table} WHERE ${isOver} LIMIT $2)`, [
        new Date(nowMs - keptMs),
        BATCH_ROWS,
      ]);
      deleted = rowCount ?? 0;
      total += deleted;
    } while (deleted === BATCH_ROWS);
  }
  return total;
}
