import { inTransaction } from '@market-state/postgres';
import { advance } from '../store/advance';
import { tellFinished } from '../store/outbox';
import type { FailureReason } from './job';
import { releaseCredits, type ReleaseDeps } from './release-credits';

export interface FailJobDeps extends ReleaseDeps {
  readonly clock: () => number;
}

/** Ends a job that can't be done, and gives its credits back. Nothing happens to a job that has ended. */
export async function failJob(deps: FailJobDeps, jobId: string, reason: FailureReason, detail?: string): Promise<void> {
  const nowMs = deps.clock();
  const failed = await inTransaction(deps.pool, async (client) => {
    const job = await advance(client, jobId, { to: 'failed', nowMs, reason, ...(detail === undefined ? {} : { detail }) });
    if (job !== undefined) await tellFinished(client, job, nowMs);
    return job;
  });
  if (failed === undefined) return;
  deps.logger.error({ job_id: jobId, reason, detail }, 'an export job failed');
  await releaseCredits(deps, failed);
}
