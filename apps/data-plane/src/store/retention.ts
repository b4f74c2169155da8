import type { Pool } from 'pg';
import { reading } from './store-failure';

/** How far back a channel is kept, exchange time; 0 where nothing was dropped yet. */
export interface ChannelRetention {
  /** Older rows are in the archive alone. */
  readonly hotFromMs: number;
  /** Older rows are gone. */
  readonly archiveFromMs: number;
}

const NOTHING_DROPPED: ChannelRetention = { hotFromMs: 0, archiveFromMs: 0 };

/** Retention of every channel by its internal name. */
export interface Retention {
  of(channel: string): ChannelRetention;
}

/** Rejects as `storeFailure` says. */
export async function readRetention(pool: Pool): Promise<Retention> {
  const { rows } = await reading(
    pool.query<{ channel: string; hot_from_ms: string; archive_from_ms: string }>('SELECT channel, hot_from_ms, archive_from_ms FROM retention'),
  );
  const byChannel = new Map(rows.map((row) => [row.channel, { hotFromMs: Number(row.hot_from_ms), archiveFromMs: Number(row.archive_from_ms) }]));
  return { of: (channel) => byChannel.get(channel) ?? NOTHING_DROPPED };
}
