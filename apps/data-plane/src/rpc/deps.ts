import type { ArchiveReader } from '@market-state/archive';
import type { labeling } from '@market-state/contracts';
import { unknownSymbol } from '@market-state/errors';
import type { EventLog } from '@market-state/event-log';
import type { FollowedHealth, GrpcClient } from '@market-state/grpc';
import type { Logger } from '@market-state/logging';
import type { Pool } from 'pg';
import type { DayTables } from '../catalog/day-tables';
import type { KeptDays, RetentionDays } from '../archive/archive-settings';
import type { Feeds } from '../feeds';
import type { RecordedWatch } from '../market/recorded-watch';
import type { MarketTail } from '../market/tail';
import type { Venues } from '../market/venues';
import type { Timer } from '../window/paced-frames';
import { readRecorded } from '../store/recorded';

/** Which disk the archive is on, and how long rows are kept. */
interface StorageSettings {
  /** Absent: nothing is archived, or in a bucket. */
  readonly archiveFolder: string | undefined;
  readonly hotDays: number;
  readonly archiveDays: number;
  /** Of each channel. */
  readonly days: RetentionDays;
  /** Of packets, which labeling keeps. */
  readonly packetDays: KeptDays;
}

/** What the RPCs use. */
export interface RpcDeps {
  readonly logger: Logger;
  readonly tail: MarketTail;
  readonly venues: Venues;
  readonly pool: Pool;
  /** Absent: nothing is archived, and all rows are hot. */
  readonly archive?: ArchiveReader;
  readonly storage: StorageSettings;
  readonly dayTables: Pick<DayTables, 'of'>;
  readonly log: EventLog;
  readonly feeds: Feeds;
  /** Absent: packets are out of reach. */
  readonly labeling: GrpcClient<typeof labeling.LabelingServiceService> | undefined;
  /** Of every feed: one plays a symbol, others may stand by. */
  readonly feedHealth: FollowedHealth;
  /** Of every recorder. */
  readonly recorderHealth: FollowedHealth;
  readonly recordedWatch: RecordedWatch;
  readonly timer: Timer;
  readonly wallNowMs: () => number;
}

/**
 * The instant asked for, at most the last up to which everything received is recorded: an answer as of it stays the same. 0, which is now,
 * stays 0. Rejects as `storeFailure` says.
 */
export async function settledAsOf({ pool }: Pick<RpcDeps, 'pool'>, symbol: string, asOfMs: number): Promise<number> {
  if (asOfMs === 0) return 0;
  const { clockMs = 0 } = await readRecorded(pool, symbol);
  return Math.max(1, Math.min(asOfMs, clockMs - 1));
}

/** @throws ServiceError NOT_FOUND for a symbol not served; what is stored can be read before the log is. */
export function refuseUnserved({ tail }: Pick<RpcDeps, 'tail'>, symbol: string): void {
  if (!tail.symbols.includes(symbol)) throw unknownSymbol(symbol, tail.symbols);
}
