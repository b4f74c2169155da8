import type { exports } from '@market-state/contracts';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import { planExport as plan } from '../planning/plan-export';
import { resolveSpec } from '../planning/resolve-spec';
import type { RpcDeps } from './deps';
import { toProtoSpec } from './to-proto';

/** What an export would hold and cost. */
export async function planExport(
  deps: RpcDeps,
  { tenantId, planId, spec }: exports.PlanExportRequest,
): Promise<exports.PlanExportResponse> {
  refuseFaults(idFaults('tenant_id', tenantId), idFaults('plan_id', planId));
  const planned = await plan(deps, resolveSpec(spec), { planId, isExact: false });
  return {
    spec: toProtoSpec(planned.spec),
    rowTotal: planned.rowTotal,
    byteTotal: planned.byteTotal,
    partTotal: planned.parts.length,
    exportCredits: planned.credits,
  };
}
