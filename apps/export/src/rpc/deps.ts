import type { ObjectStore } from '@market-state/archive';
import type { KeyedConcurrencyLimit } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import type { Pool } from 'pg';
import type { ExportQueue } from '../jobs/export-queue';
import type { Upstreams } from '../upstreams';
import type { Downloads } from './downloads';

/** What the RPCs use. */
export interface RpcDeps extends Upstreams {
  readonly pool: Pool;
  /** Files of exports. */
  readonly store: ObjectStore;
  readonly queue: ExportQueue;
  readonly downloads: Downloads;
  /** Concurrency limit of each tenant's orders. */
  readonly limitOrders: KeyedConcurrencyLimit;
  /** Counts bytes of files that were read. */
  readonly countBytes: (bytes: number) => void;
  readonly clock: () => number;
  readonly logger: Logger;
}
