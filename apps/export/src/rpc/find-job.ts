import { failedPrecondition, notFound, type ServiceError } from '@market-state/errors';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import type { Job } from '../jobs/job';
import { findJob } from '../store/jobs';
import type { RpcDeps } from './deps';

/** What every method says of a job that the tenant does not have. */
export function unknownJob(): ServiceError {
  return notFound('unknown_job', 'No such export job.');
}

/**
 * The job of a tenant.
 * @throws ServiceError NOT_FOUND `unknown_job`
 */
export async function requireJob({ pool }: Pick<RpcDeps, 'pool'>, tenantId: string, jobId: string): Promise<Job> {
  refuseFaults(idFaults('tenant_id', tenantId), idFaults('job_id', jobId));
  const job = await findJob(pool, tenantId, jobId);
  if (job === undefined) throw unknownJob();
  return job;
}

/**
 * The same of a job that has files.
 * @throws ServiceError FAILED_PRECONDITION that says why it has none
 */
export async function requireReadyJob(deps: Pick<RpcDeps, 'pool'>, tenantId: string, jobId: string): Promise<Job> {
  const job = await requireJob(deps, tenantId, jobId);
  switch (job.status) {
    case 'ready':
      return job;
    case 'failed':
      throw failedPrecondition('job_failed', `The export failed: ${job.errorMessage ?? ''}`, {
        metadata: { error_reason: job.errorReason ?? '' },
      });
    case 'cancelled':
      throw failedPrecondition('job_cancelled', 'The export was cancelled.');
    case 'expired':
      throw failedPrecondition('job_expired', 'The files were deleted at the end of their time; a new job makes them again.', {
        metadata: { expired_ms: String(job.expiresMs ?? 0) },
      });
    default:
      throw failedPrecondition('job_not_ready', `The export is ${job.status}: its files can be read once it is ready.`);
  }
}
