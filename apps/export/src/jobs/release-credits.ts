import type { Logger } from '@market-state/logging';
import type { Pool } from 'pg';
import { noteReleased } from '../store/upkeep';
import type { Upstreams } from '../upstreams';
import type { Job } from './job';

export interface ReleaseDeps extends Pick<Upstreams, 'credits'> {
  readonly pool: Pool;
  readonly logger: Logger;
}

/** Gives the credits of a failed or cancelled job back. Where account cannot be reached the upkeep tries again. */
export async function releaseCredits(
  { credits, pool, logger }: ReleaseDeps,
  { jobId, operationId }: Pick<Job, 'jobId' | 'operationId'>,
): Promise<void> {
  try {
    await credits.call.release({ operationId });
    await noteReleased(pool, jobId);
  } catch (error) {
    logger.warn({ err: error, job_id: jobId }, 'the credits of a job could not be given back yet');
  }
}
