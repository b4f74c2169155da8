import type { Logger } from '@market-state/logging';
import { inTransaction } from '@market-state/postgres';
import type { Pool } from 'pg';
import { advance } from '../store/advance';
import { findJob } from '../store/jobs';
import { tellFinished } from '../store/outbox';
import type { Upstreams } from '../upstreams';
import type { Job } from './job';
import { releaseCredits } from './release-credits';

export interface CancelJobDeps extends Pick<Upstreams, 'credits'> {
  readonly pool: Pool;
  readonly clock: () => number;
  readonly logger: Logger;
}

/** Cancels a job that is queued or running; any other is left as it is. Undefined when the tenant has no such job. */
export async function cancelJob(deps: CancelJobDeps, tenantId: string, jobId: string): Promise<Job | undefined> {
  const { pool, clock } = deps;
  const found = await findJob(pool, tenantId, jobId);
  if (found === undefined) return undefined;
  const nowMs = clock();
  const cancelled = await inTransaction(pool, async (client) => {
    const job = await advance(client, jobId, { to: 'cancelled', nowMs });
    if (job !== undefined) await tellFinished(client, job, nowMs);
    return job;
  });
  if (cancelled === undefined) return findJob(pool, tenantId, jobId);
  await releaseCredits(deps, cancelled);
  return cancelled;
}
