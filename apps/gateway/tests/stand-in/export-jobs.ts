import { exports } from '@market-state/contracts';
import { failedPrecondition, notFound } from '@market-state/errors';

const { JobStatus } = exports;

/** Export jobs of the stand-in. */
export interface StandInJobs {
  add(tenantId: string, job: exports.Job): void;
  /** Throws NOT_FOUND `unknown_job`, also for another tenant's job. */
  of(tenantId: string, jobId: string): exports.Job;
  ofOperation(tenantId: string, operationId: string): exports.Job | undefined;
  /** Newest first. */
  listOf(tenantId: string, statuses: readonly exports.JobStatus[]): readonly exports.Job[];
  /** `of` for a job with files; throws FAILED_PRECONDITION for others. */
  readyOf(tenantId: string, jobId: string): exports.Job;
  change(jobId: string, change: Partial<exports.Job>): void;
}

function refuseWithoutFiles({ status }: exports.Job): void {
  switch (status) {
    case JobStatus.READY:
      return;
    case JobStatus.FAILED:
      throw failedPrecondition('job_failed', 'The job failed, so it has no files.');
    case JobStatus.CANCELLED:
      throw failedPrecondition('job_cancelled', 'The job was cancelled, so it has no files.');
    case JobStatus.EXPIRED:
      throw failedPrecondition('job_expired', 'The files of this job were deleted.');
    default:
      throw failedPrecondition('job_not_ready', 'The job has not finished.');
  }
}

export function createStandInJobs(): StandInJobs {
  const jobs: { readonly tenantId: string; job: exports.Job }[] = [];

  function of(tenantId: string, jobId: string): exports.Job {
    const found = jobs.find((entry) => entry.tenantId === tenantId && entry.job.jobId === jobId);
    if (found === undefined) throw notFound('unknown_job', 'No such export job.');
    return found.job;
  }

  return {
    of,
    add(tenantId, job) {
      jobs.unshift({ tenantId, job });
    },
    ofOperation: (tenantId, operationId) => jobs.find((entry) => entry.tenantId === tenantId && entry.job.operationId === operationId)?.job,
    listOf: (tenantId, statuses) =>
      jobs.flatMap((entry) =>
        entry.tenantId === tenantId && (statuses.length === 0 || statuses.includes(entry.job.status)) ? [entry.job] : [],
      ),
    readyOf(tenantId, jobId) {
      const job = of(tenantId, jobId);
      refuseWithoutFiles(job);
      return job;
    },
    change(jobId, change) {
      for (const entry of jobs) if (entry.job.jobId === jobId) entry.job = { ...entry.job, ...change };
    },
  };
}
