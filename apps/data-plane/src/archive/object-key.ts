import type { Channel } from '@market-state/market-data';
import { toPublicChannel } from '../window/public-channels';

/** One channel of a symbol in one hour of the feed clock. */
export interface HourId {
  readonly symbol: string;
  readonly channel: Channel;
  /** Start of the hour, milliseconds since the epoch. */
  readonly hourMs: number;
}

/** Where an hour's file stands: the hive layout that DuckDB, Spark, Trino, ClickHouse and Athena read as it is. */
export function objectKeyOf({ symbol, channel, hourMs }: HourId): string {
  const hour = new Date(hourMs).toISOString();
  return `channel=${toPublicChannel(channel)}/symbol=${symbol}/date=${hour.slice(0, 10)}/hour=${hour.slice(11, 13)}/part.parquet`;
}
