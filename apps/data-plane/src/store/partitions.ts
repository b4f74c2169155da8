import { type Channel, CHANNELS } from '@market-state/market-data';
import type { Pool, PoolClient } from 'pg';

/** Milliseconds of the UTC day that one partition holds. */
export const DAY_MS = 86_400_000;

/** One day of one channel. */
export interface Partition {
  readonly channel: Channel;
  /** Start of the UTC day of exchange time, milliseconds. */
  readonly dayMs: number;
}

/** A day of a channel that a row of `exchangeTsMs` belongs to. */
export function dayOf(exchangeTsMs: number): number {
  return Math.floor(exchangeTsMs / DAY_MS) * DAY_MS;
}

/** `log_entry_<channel>`: the table that the days of a channel are attached to. */
function channelTable(channel: Channel): string {
  return `log_entry_${channel}`;
}

/** `log_entry_<channel>_` and the UTC date, as in `log_entry_trade_20260731`. */
export function partitionName({ channel, dayMs }: Partition): string {
  return `${channelTable(channel)}_${new Date(dayMs).toISOString().slice(0, 10).replaceAll('-', '')}`;
}

/** Every partition that is attached, by channel, oldest first. */
export async function listPartitions(db: Pool | PoolClient): Promise<Partition[]> {
  const { rows } = await db.query<{ channel: Channel; date: string }>(
    `SELECT channel, right(child.relname, 8) AS date
     FROM unnest($1::text[]) WITH ORDINALITY AS of(channel, rank)
     JOIN pg_inherits ON inhparent = ('log_entry_' || channel)::regclass
     JOIN pg_class AS child ON child.oid = inhrelid
     WHERE NOT inhdetachpending
     ORDER BY rank, date`,
    [CHANNELS],
  );
  return rows.map(({ channel, date }) => ({
    channel,
    dayMs: Date.UTC(Number(date.slice(0, 4)), Number(date.slice(4, 6)) - 1, Number(date.slice(6))),
  }));
}

/** Time to lock a day and to count its rows twice, milliseconds. */
const DROP_TIME_MS = 30_000;

/**
 * Drops a day in the open transaction by a function of the database, which first counts the day's rows against the files whose keys are
 * given, with writing to the day shut. Rejects with SQLSTATE 55000 when the day has to stay.
 */
export async function dropPartition(client: PoolClient, { channel, dayMs }: Partition, fileKeys: readonly string[]): Promise<void> {
  await client.query(`SET LOCAL lock_timeout = '5s'; SET LOCAL statement_timeout = ${DROP_TIME_MS}`);
  const statement = { text: 'SELECT drop_log_entry_day($1, $2, $3)', values: [channel, dayMs, fileKeys], query_timeout: DROP_TIME_MS };
  await client.query(statement);
}

/** Makes day partitions before rows need them, by a function of the database, and remembers those that are there. */
export interface Partitions {
  /** After this every one of these days has its partition, and so has the day after it. */
  ensure(days: Iterable<Partition>): Promise<void>;
  /** Looks again before the next write: a partition may have been dropped. */
  forget(): void;
}

export function createPartitions(pool: Pool): Partitions {
  const known = new Set<string>();
  return {
    async ensure(days) {
      for (const { channel, dayMs } of days) {
        for (const partition of [
          { channel, dayMs },
          { channel, dayMs: dayMs + DAY_MS },
        ]) {
          const key = `${partition.channel} ${partition.dayMs}`;
          if (known.has(key)) continue;
          await pool.query('SELECT make_log_entry_day($1, $2)', [partition.channel, partition.dayMs]);
          known.add(key);
        }
      }
    },
    forget: () => known.clear(),
  };
}
