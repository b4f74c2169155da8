import type { exports } from '@market-state/contracts';
import type { RpcDeps } from './deps';
import { requireJob } from './find-job';
import { toProtoJob } from './to-proto';

export async function getJob(deps: RpcDeps, { tenantId, jobId }: exports.GetJobRequest): Promise<exports.GetJobResponse> {
  return { job: toProtoJob(await requireJob(deps, tenantId, jobId)) };
}
