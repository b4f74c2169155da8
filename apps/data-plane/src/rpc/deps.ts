import type { ArchiveReader } from '@market-state/archive';
import type { labeling } from '@market-state/contracts';
import { unknownSymbol } from '@market-state/errors';
import type { EventLog } from '@market-state/event-log';
import type { FollowedHealth, GrpcClient } from '@market-state/grpc';
import type { Logger } from '@market-state/logging';
import type { Pool } from 'pg';
import type { DayTables } from '../catalog/day-tables';
import type { StorageWatch } from '../catalog/storage';
import type { RetentionPeriods, RetentionDays } from '../archive/archive-settings';
import type { Feeds } from '../feeds';
import type { RecordedWatch } from '../market/recorded-watch';
import type { MarketTail } from '../market/tail';
import type { Venues } from '../market/venues';
import type { Timer } from '../window/paced-frames';
import { readRecorded } from '../store/recorded';

interface StorageSettings {
  /** Absent without an archive, or with a bucket. */
  readonly archiveFolder: string | undefined;
  readonly hotDays: number;
  readonly archiveDays: number;
  readonly days: RetentionDays;
  /** Retention of packets, which labeling applies. */
  readonly packetDays: RetentionPeriods;
}

export interface RpcDeps {
  readonly logger: Logger;
  readonly tail: MarketTail;
  readonly venues: Venues;
  readonly pool: Pool;
  /** Without it, all rows are hot. */
  readonly archive?: ArchiveReader;
  readonly storage: StorageSettings;
  readonly storageWatch: Pick<StorageWatch, 'current'>;
  readonly dayTables: Pick<DayTables, 'of'>;
  readonly log: EventLog;
  /** Symbols whose log is written only by imports. */
  readonly imported: readonly string[];
  readonly feeds: Feeds;
  readonly labeling: GrpcClient<typeof labeling.LabelingServiceService> | undefined;
  readonly feedHealth: FollowedHealth;
  readonly recorderHealth: FollowedHealth;
  readonly recordedWatch: RecordedWatch;
  readonly timer: Timer;
  readonly wallNowMs: () => number;
}

/**
 * Clamps an as-of instant to the last one with everything recorded, so that responses are reproducible. 0: now. Rejects
 * as `storeFailure`.
 */
export async function settledAsOf({ pool }: Pick<RpcDeps, 'pool'>, symbol: string, asOfMs: number): Promise<number> {
  if (asOfMs === 0) return 0;
  const { clockMs = 0 } = await readRecorded(pool, symbol);
  return Math.max(1, Math.min(asOfMs, clockMs - 1));
}

/** @throws ServiceError NOT_FOUND for an unserved symbol; does not require its market to be rebuilt */
export function refuseUnserved({ tail }: Pick<RpcDeps, 'tail'>, symbol: string): void {
  if (!tail.symbols.includes(symbol)) throw unknownSymbol(symbol, tail.symbols);
}
