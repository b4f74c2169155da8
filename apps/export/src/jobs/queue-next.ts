import type { Logger } from '@market-state/logging';
import type { Pool } from 'pg';
import { listNextParts } from '../store/parts';
import { type ExportQueue, workOfPart } from './export-queue';

export interface QueueNextDeps {
  readonly pool: Pool;
  readonly queue: ExportQueue;
  readonly clock: () => number;
  readonly logger: Logger;
}

/** Called after an order, or the end of one of a tenant's parts or jobs. If it fails, maintenance does it. */
export async function queueNext({ pool, queue, clock, logger }: QueueNextDeps, tenantId: string): Promise<void> {
  try {
    const next = await listNextParts(pool, clock(), tenantId);
    await queue.add(next.map(workOfPart));
    await queue.promote(next);
  } catch (error) {
    logger.warn({ err: error }, 'listing the next parts of a tenant failed');
  }
}
