import type { GuidanceField } from '../policy/content';
import type { FactSet } from '../policy/fact';
import type { Policy } from '../policy/policy';

export interface Guidance {
  readonly source_quality_class: string;
  readonly evidence_quality_class: string;
  readonly route_recommendation: string;
  readonly automation_status: string;
  readonly workflow_routes: readonly string[];
  readonly allowed_uses: readonly string[];
  readonly blocked_uses: readonly string[];
  readonly missing_routing_inputs: readonly string[];
}

/**
 * Adds the four single values to `facts` first, because the lists may read them.
 * @throws Error if a table has no matching value
 */
export function decideGuidance(facts: FactSet, policy: Policy): Guidance {
  const first = (field: GuidanceField) => {
    const value = policy.guidance[field].first(facts);
    if (value === null) throw new Error(`no value of ${field} matches`);
    return value;
  };
  const decided = {
    source_quality_class: first('source_quality_class'),
    evidence_quality_class: first('evidence_quality_class'),
    route_recommendation: first('route_recommendation'),
    automation_status: first('automation_status'),
  };
  Object.assign(facts, decided);
  return {
    ...decided,
    workflow_routes: policy.guidance.workflow_routes.every(facts),
    allowed_uses: policy.guidance.allowed_uses.every(facts),
    blocked_uses: policy.guidance.blocked_uses.every(facts),
    missing_routing_inputs: policy.guidance.missing_routing_inputs.every(facts),
  };
}
