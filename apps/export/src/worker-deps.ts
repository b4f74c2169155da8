import type { ObjectStore } from '@market-state/archive';
import type { Logger } from '@market-state/logging';
import type { Pool } from 'pg';
import type { ExportMetrics } from './export-metrics';
import type { ExportQueue } from './jobs/export-queue';
import type { Upstreams } from './upstreams';

export interface WorkerPace {
  readonly maintenanceMs: number;
  /**
   * Silence after which a worker loses its part or publication. Workers send heartbeats every 5 s, and every 15 s while
   * publishing.
   */
  readonly silentMs: number;
}

export interface WorkerDeps extends Upstreams {
  /** Unique per process. */
  readonly worker: string;
  readonly pool: Pool;
  readonly store: ObjectStore;
  readonly archive: ObjectStore | undefined;
  readonly queue: ExportQueue;
  readonly metrics: ExportMetrics;
  /** Retention of files after a job is ready. */
  readonly keptMs: number;
  readonly clock: () => number;
  readonly pace: WorkerPace;
  readonly logger: Logger;
}
