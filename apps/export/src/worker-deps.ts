import type { ObjectStore } from '@market-state/archive';
import type { Logger } from '@market-state/logging';
import type { Pool } from 'pg';
import type { ExportMetrics } from './export-metrics';
import type { ExportQueue } from './jobs/export-queue';
import type { Upstreams } from './upstreams';

/** How soon what a dead worker left is taken up, milliseconds. */
export interface WorkerPace {
  /** Between two rounds of the upkeep. */
  readonly upkeepMs: number;
  /**
   * A worker that has said nothing for so long has lost its part, or the job that it published. Workers speak every 5 s, and every 15 s
   * while they publish.
   */
  readonly silentMs: number;
}

/** Everything a worker is made of. */
export interface WorkerDeps extends Upstreams {
  /** Of this process, unlike any other's. */
  readonly worker: string;
  readonly pool: Pool;
  /** Files of exports. */
  readonly store: ObjectStore;
  /** Absent: every row is asked for. */
  readonly archive: ObjectStore | undefined;
  readonly queue: ExportQueue;
  readonly metrics: ExportMetrics;
  /** How long files are kept once a job is ready, milliseconds. */
  readonly keptMs: number;
  readonly clock: () => number;
  readonly pace: WorkerPace;
  readonly logger: Logger;
}
