import type { exports } from '@market-state/contracts';
import { failedPrecondition, notFound, type ServiceError } from '@market-state/errors';
import { isCheckable, pickColumns } from '@market-state/export-schema';
import { cutPage, pageTokenFaults, readToken, writeToken } from '@market-state/page-token';
import { idFaults, rangeFaults, refuseFaults } from '@market-state/request-checks';
import { z } from 'zod';
import { cancelJob as cancel } from '../jobs/end-job';
import type { Job } from '../jobs/job';
import { listFiles } from '../store/files';
import { findJob, type JobCursor, listJobs as list } from '../store/jobs';
import { readPack } from '../store/publications';
import type { RpcDeps } from './deps';
import { fromProtoStatus, toProtoFile, toProtoJob } from './wire';

const PAGE_SIZE_MAX = 100;
const TOKEN = z.tuple([z.literal('x1'), z.string(), z.string(), z.int(), z.string()]);

function unknownJob(): ServiceError {
  return notFound('unknown_job', 'No such export job.');
}

async function requireJob({ pool }: Pick<RpcDeps, 'pool'>, tenantId: string, jobId: string): Promise<Job> {
  refuseFaults(idFaults('tenant_id', tenantId), idFaults('job_id', jobId));
  const job = await findJob(pool, tenantId, jobId);
  if (job === undefined) throw unknownJob();
  return job;
}

/** @throws ServiceError FAILED_PRECONDITION with the reason why the job has no files */
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
      throw failedPrecondition(
        'job_expired',
        'The files were deleted at the end of their retention. Create a new job to make them again.',
        {
          metadata: { expired_ms: String(job.expiresMs ?? 0) },
        },
      );
    default:
      throw failedPrecondition('job_not_ready', `The export is ${job.status}. Its files are available once it is ready.`);
  }
}

export async function getJob(deps: RpcDeps, { tenantId, jobId }: exports.GetJobRequest): Promise<exports.GetJobResponse> {
  return { job: toProtoJob(await requireJob(deps, tenantId, jobId)) };
}

export async function listJobs(deps: RpcDeps, request: exports.ListJobsRequest): Promise<exports.ListJobsResponse> {
  const { tenantId, statuses, pageSize, pageToken } = request;
  const wanted = statuses.map(fromProtoStatus);
  const after = placeOf(request);
  refuseFaults(
    idFaults('tenant_id', tenantId),
    rangeFaults('page_size', pageSize, 1, PAGE_SIZE_MAX),
    wanted.includes(undefined) ? [{ field: 'statuses', message: 'must be job statuses', type: 'unsupported' }] : [],
    pageTokenFaults(pageToken, after),
  );
  const jobs = await list(deps.pool, tenantId, {
    statuses: wanted.flatMap((status) => status ?? []),
    after,
    limit: pageSize + 1,
  });
  const { page, nextPageToken } = cutPage(jobs, pageSize, ({ createdMs, jobId }) =>
    writeToken(['x1', tenantId, statuses.join(), createdMs, jobId]),
  );
  return { jobs: page.map(toProtoJob), nextPageToken };
}

function placeOf({ tenantId, statuses, pageToken }: exports.ListJobsRequest): JobCursor | undefined {
  const values = readToken(TOKEN, pageToken);
  if (values === undefined) return undefined;
  const [, ofTenant, ofStatuses, createdMs, jobId] = values;
  return ofTenant === tenantId && ofStatuses === statuses.join() ? { createdMs, jobId } : undefined;
}

export async function cancelJob(deps: RpcDeps, { tenantId, jobId }: exports.CancelJobRequest): Promise<exports.CancelJobResponse> {
  refuseFaults(idFaults('tenant_id', tenantId), idFaults('job_id', jobId));
  const job = await cancel(deps, tenantId, jobId);
  if (job === undefined) throw unknownJob();
  return { job: toProtoJob(job) };
}

export async function getResult(deps: RpcDeps, { tenantId, jobId }: exports.GetResultRequest): Promise<exports.GetResultResponse> {
  const job = await requireReadyJob(deps, tenantId, jobId);
  const files = await listFiles(deps.pool, job);
  return {
    job: toProtoJob(job),
    files: files.map(toProtoFile),
    columns: pickColumns(job.spec, job.spec.columns).map(({ name, type }) => ({ name, type })),
    checkable: isCheckable(job.spec, job.spec.columns),
  };
}

export async function getReviewPack(
  deps: RpcDeps,
  { tenantId, jobId }: exports.GetReviewPackRequest,
): Promise<exports.GetReviewPackResponse> {
  const { estimatedCredits, observedCredits, receiptId, operationId, quoteId } = await requireReadyJob(deps, tenantId, jobId);
  const pack = (await readPack(deps.pool, jobId))?.reviewPack as Readonly<Record<string, unknown>>;
  const credit_receipt = {
    receipt_id: receiptId,
    operation_id: operationId,
    quote_id: quoteId === '' ? null : quoteId,
    estimated_export_credit_cost: estimatedCredits,
    observed_export_credit_cost: observedCredits,
  };
  return { reviewPack: Buffer.from(JSON.stringify({ ...pack, credit_receipt })) };
}
