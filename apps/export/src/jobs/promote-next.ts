import type { Logger } from '@market-state/logging';
import type { Pool } from 'pg';
import { listNextParts } from '../store/parts';
import type { ExportQueue } from './export-queue';

export interface PromoteDeps {
  readonly pool: Pool;
  readonly queue: ExportQueue;
  readonly clock: () => number;
  readonly logger: Logger;
}

/** Promotes a tenant's next parts after one of its parts or jobs ended. If that fails, they are tried seconds later. */
export async function promoteNext({ pool, queue, clock, logger }: PromoteDeps, tenantId: string): Promise<void> {
  try {
    await queue.promote(await listNextParts(pool, tenantId, clock()));
  } catch (error) {
    logger.warn({ err: error }, 'listing the next parts of a tenant failed');
  }
}
