import { account, type exports } from '@market-state/contracts';
import { idFaults, optionalIdFaults, refuseFaults } from '@market-state/request-checks';
import { createJob as create, refuseCrowd } from '../jobs/create-job';
import { minimumCredits, planExport as makePlan } from '../planning/plan-export';
import { resolveSpec } from '../planning/resolve-spec';
import { findJobOfOperation } from '../store/jobs';
import type { RpcDeps } from './deps';
import { toRequestedSpec, toProtoJob, toProtoSpec } from './wire';

const QUOTE_ID_LENGTH_MAX = 1_024;

export async function planExport(
  deps: RpcDeps,
  { tenantId, planId, spec }: exports.PlanExportRequest,
): Promise<exports.PlanExportResponse> {
  refuseFaults(idFaults('tenant_id', tenantId), idFaults('plan_id', planId));
  const planned = await makePlan(deps, resolveSpec(spec), { planId, counting: 'expected' });
  return {
    spec: toProtoSpec(planned.spec),
    rowTotal: planned.rowTotal,
    byteTotal: planned.byteTotal,
    partTotal: planned.parts.length,
    exportCredits: planned.credits,
  };
}

/**
 * Creates a job. Cheap checks first: the queue, then the minimum cost; only then rows are counted, for a few orders of
 * a tenant at a time.
 */
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
  return deps.limitOrders(tenantId, async () => {
    const earlier = await findJobOfOperation(deps.pool, operationId);
    if (earlier !== undefined && earlier.tenantId === tenantId)
      return { job: toProtoJob(earlier), exportCredits: earlier.estimatedCredits, aboveBound: false };
    await refuseCrowd(deps.pool, tenantId);
    const resolved = resolveSpec(spec);
    const creditsMin = await minimumCredits(deps, resolved);
    const short = await refusalOf(deps, { tenantId, keyId }, creditsMin);
    if (short !== undefined) return { refusal: short, exportCredits: creditsMin, aboveBound: false };
    const plan = await makePlan(deps, resolved, { planId, counting: 'exact' });
    if (exportCreditsMax !== undefined && plan.credits > exportCreditsMax) return { exportCredits: plan.credits, aboveBound: true };
    const created = await create(deps, {
      operationId,
      requestId,
      caller: { tenantId, keyId, accountId },
      planId,
      quoteId,
      request: toRequestedSpec(spec),
      plan,
    });
    const answer = { exportCredits: plan.credits, aboveBound: false };
    return 'job' in created ? { ...answer, job: toProtoJob(created.job) } : { ...answer, refusal: created.refusal };
  });
}

async function refusalOf(
  { credits }: RpcDeps,
  { tenantId, keyId }: { readonly tenantId: string; readonly keyId: string },
  needed: number,
): Promise<account.Refusal | undefined> {
  const { refusal } = await credits.call.previewCharge({
    tenantId,
    kind: account.CreditKind.EXPORT,
    credits: needed,
    keyId: keyId === '' ? undefined : keyId,
    unacknowledged: [],
  });
  return refusal;
}
