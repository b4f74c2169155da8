import { inTransaction } from '@market-state/postgres';
import type { Pool } from 'pg';

const DAY_MS = 86_400_000;
/** One lock for all that make partitions; any number that nothing else in this database uses. */
const LOCK_KEY = 4_801_337;

/** Makes day partitions of `log_entry` when they are first needed, and remembers those that are there. */
export interface Partitions {
  /** After this every one of these exchange times has its partition. */
  ensure(exchangeTsMs: Iterable<number>): Promise<void>;
}

/** UTC day number since the epoch. */
export function dayOf(exchangeTsMs: number): number {
  return Math.floor(exchangeTsMs / DAY_MS);
}

/** `log_entry_` and the UTC date, as in `log_entry_20260731`. */
export function partitionName(day: number): string {
  return `log_entry_${new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')}`;
}

export function createPartitions(pool: Pool): Partitions {
  const known = new Set<number>();
  return {
    async ensure(exchangeTsMs) {
      for (const timeMs of exchangeTsMs) {
        const day = dayOf(timeMs);
        if (known.has(day)) continue;
        await createPartition(pool, day);
        known.add(day);
      }
    },
  };
}

/** Attached rather than created in place: attaching lets readers and writers of the other days go on. */
async function createPartition(pool: Pool, day: number): Promise<void> {
  const partition = partitionName(day);
  await inTransaction(pool, async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK_KEY]);
    const { rows } = await client.query<{ is_there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS is_there', [partition]);
    if (rows[0]?.is_there === true) return;
    await client.query(`CREATE TABLE ${partition} (LIKE log_entry INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`);
    await client.query(`ALTER TABLE log_entry ATTACH PARTITION ${partition} FOR VALUES FROM (${day * DAY_MS}) TO (${(day + 1) * DAY_MS})`);
  });
}
