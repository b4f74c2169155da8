import { type Channel, CHANNELS, DAY_MS } from '@market-state/market-data';
import type { Pool, PoolClient } from 'pg';

export interface Partition {
  readonly channel: Channel;
  readonly dayMs: number;
}

export function dayOf(exchangeTsMs: number): number {
  return Math.floor(exchangeTsMs / DAY_MS) * DAY_MS;
}

function channelTable(channel: Channel): string {
  return `log_entry_${channel}`;
}

/** For example `log_entry_trade_20260731`. */
export function partitionName({ channel, dayMs }: Partition): string {
  return `${channelTable(channel)}_${new Date(dayMs).toISOString().slice(0, 10).replaceAll('-', '')}`;
}

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

/** Time to lock a day and count its rows twice. */
const DROP_TIME_MS = 30_000;

/**
 * Compares the row count with the given files while writes are blocked. Rejects with SQLSTATE 55000 if the day must
 * stay.
 */
export async function dropPartition(client: PoolClient, { channel, dayMs }: Partition, fileKeys: readonly string[]): Promise<void> {
  await client.query(`SET LOCAL lock_timeout = '5s'; SET LOCAL statement_timeout = ${DROP_TIME_MS}`);
  const statement = { text: 'SELECT drop_log_entry_day($1, $2, $3)', values: [channel, dayMs, fileKeys], query_timeout: DROP_TIME_MS };
  await client.query(statement);
}

export interface Partitions {
  /** Also creates the following day. */
  ensure(days: Iterable<Partition>): Promise<void>;
  /** Clears the cache: a partition may have been dropped. */
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
