import type { exports } from '@market-state/contracts';
import { idFaults, optionalIdFaults, refuseFaults } from '@market-state/request-checks';
import { createJob as create } from '../jobs/create-job';
import { planExport } from '../planning/plan-export';
import { resolveSpec } from '../planning/resolve-spec';
import { findJobOfOperation } from '../store/jobs';
import type { RpcDeps } from './deps';
import { toAsked } from './to-asked';
import { toProtoJob } from './to-proto';

const QUOTE_ID_LENGTH_MAX = 1_024;

/** Orders an export. */
export async function createJob(deps: RpcDeps, request: exports.CreateJobRequest): Promise<exports.CreateJobResponse> {
  const { caller, planId, operationId, requestId, spec, quoteId, exportCreditsMax } = request;
  refuseFaults(
    idFaults('caller.tenant_id', caller?.tenantId ?? ''),
    optionalIdFaults('caller.key_id', caller?.keyId ?? ''),
    optionalIdFaults('caller.account_id', caller?.accountId ?? ''),
    idFaults('plan_id', planId),
    idFaults('operation_id', operationId),
    optionalIdFaults('request_id', requestId),
    optionalIdFaults('quote_id', quoteId, QUOTE_ID_LENGTH_MAX),
  );
  const { tenantId = '', keyId = '', accountId = '' } = caller ?? {};
  const earlier = await findJobOfOperation(deps.pool, operationId);
  if (earlier !== undefined && earlier.tenantId === tenantId)
    return { job: toProtoJob(earlier), exportCredits: earlier.estimatedCredits, aboveBound: false };
  const plan = await planExport(deps, resolveSpec(spec), { planId, isExact: true });
  if (exportCreditsMax !== undefined && plan.credits > exportCreditsMax) return { exportCredits: plan.credits, aboveBound: true };
  const created = await create(deps, {
    operationId,
    requestId,
    caller: { tenantId, keyId, accountId },
    planId,
    quoteId,
    request: toAsked(spec),
    plan,
  });
  const answer = { exportCredits: plan.credits, aboveBound: false };
  return 'job' in created ? { ...answer, job: toProtoJob(created.job) } : { ...answer, refusal: created.refusal };
}
