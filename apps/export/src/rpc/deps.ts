import type { ObjectStore } from '@market-state/archive';
import type { KeyedConcurrencyLimit } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import type { Pool } from 'pg';
import type { ExportQueue } from '../jobs/export-queue';
import type { MeasureSizes } from '../planning/file-sizes';
import type { Upstreams } from '../upstreams';
import type { Downloads } from './downloads';

export interface RpcDeps extends Upstreams {
  readonly pool: Pool;
  readonly store: ObjectStore;
  readonly measureSizes: MeasureSizes;
  readonly queue: ExportQueue;
  readonly downloads: Downloads;
  readonly limitOrders: KeyedConcurrencyLimit;
  readonly countBytes: (bytes: number) => void;
  readonly clock: () => number;
  readonly logger: Logger;
}
