import type { exports } from '@market-state/contracts';
import { isCheckable, pickColumns } from '@market-state/export-schema';
import { listFiles } from '../store/files';
import type { RpcDeps } from './deps';
import { requireReadyJob } from './find-job';
import { toProtoFile, toProtoJob } from './to-proto';

/** The files of a job. */
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
