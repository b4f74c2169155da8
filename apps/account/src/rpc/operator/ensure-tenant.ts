import type { account } from '@market-state/contracts';
import { type Fault, invalidArgument } from '@market-state/errors';
import type { Logger } from '@market-state/logging';
import { findPlan } from '@market-state/pricing';
import { nameFaults } from '@market-state/request-checks';
import { changePlan, type ChangePlanDeps } from '../../operator/change-plan';
import { type WantedPlan } from '../../operator/tenants';
import { fromProtoRenewal, toProtoTenant } from './wire';
import * as operator from '../../operator/tenants';

export interface OperatorDeps extends ChangePlanDeps {
  readonly logger: Logger;
}

export async function ensureTenant(deps: OperatorDeps, request: account.EnsureTenantRequest): Promise<account.EnsureTenantResponse> {
  const faults = [...nameFaults('name', request.name), ...planFaults(request)];
  if (faults.length > 0) throw invalidArgument(faults);
  const plan = planOf(request);
  const endsSubscription = request.endSubscription === true;
  const tenant =
    plan === null ? await operator.ensureTenant(deps, request.name, null) : await changePlan(deps, request.name, plan, endsSubscription);
  deps.logger.info({ tenant_id: tenant.tenantId, plan_id: tenant.planId, renewal: tenant.renewal }, 'tenant ensured');
  return { tenant: toProtoTenant(tenant) };
}

function planOf(request: account.EnsureTenantRequest): WantedPlan | null {
  const planId = findPlan(request.planId)?.planId;
  const renewal = fromProtoRenewal(request.renewal);
  if (planId === undefined || renewal === undefined) return null;
  return { planId, renewal, ownCredits: { market_state: request.marketStateCredits ?? null, export: request.exportCredits ?? null } };
}

function planFaults({ planId, renewal, marketStateCredits, exportCredits, endSubscription }: account.EnsureTenantRequest): Fault[] {
  const isOfPlan = marketStateCredits !== undefined || exportCredits !== undefined || endSubscription === true;
  if (planId === '')
    return isOfPlan
      ? [{ field: 'plan_id', message: 'must be given with credits of a period and with the end of a subscription', type: 'required' }]
      : [];
  const plan = findPlan(planId);
  const faults: Fault[] = [];
  if (plan === undefined) faults.push({ field: 'plan_id', message: 'is no plan', type: 'unknown' });
  if (fromProtoRenewal(renewal) === undefined)
    faults.push({ field: 'renewal', message: 'must be none, daily or monthly', type: 'required' });
  if (plan !== undefined && plan.days !== null && fromProtoRenewal(renewal) !== 'none') {
    faults.push({ field: 'renewal', message: `must be none: the plan ends after ${plan.days} days`, type: 'out_of_range' });
  }
  if (plan !== undefined && plan.credits === null && marketStateCredits === undefined) {
    faults.push({ field: 'market_state_credits', message: 'must be given: the plan has its credits by contract', type: 'required' });
  }
  return faults;
}
