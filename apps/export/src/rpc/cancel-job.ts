import type { exports } from '@market-state/contracts';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import { cancelJob as cancel } from '../jobs/cancel-job';
import type { RpcDeps } from './deps';
import { unknownJob } from './find-job';
import { toProtoJob } from './to-proto';

export async function cancelJob(deps: RpcDeps, { tenantId, jobId }: exports.CancelJobRequest): Promise<exports.CancelJobResponse> {
  refuseFaults(idFaults('tenant_id', tenantId), idFaults('job_id', jobId));
  const job = await cancel(deps, tenantId, jobId);
  if (job === undefined) throw unknownJob();
  return { job: toProtoJob(job) };
}
