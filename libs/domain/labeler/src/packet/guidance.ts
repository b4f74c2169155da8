import type { GuidanceField } from '../policy/content';
import type { Facts } from '../policy/fact';
import type { Policy } from '../policy/policy';

/** What the rule tables of policy/guidance.json decide. */
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

/** The first four are decided first; the lists may read them. @throws Error when a table has no value that holds. */
export function guidanceOf(facts: Facts, policy: Policy): Guidance {
  const first = (field: GuidanceField) => {
    const value = policy.guidance[field].first(facts);
    if (value === null) throw new Error(`no value of ${field} holds`);
    return value;
  };
  const decided = {
    source_quality_class: first('source_quality_class'),
    evidence_quality_class: first('evidence_quality_class'),
    route_recommendation: first('route_recommendation'),
    automation_status: first('automation_status'),
  };
  const known = { ...facts, ...decided };
  return {
    ...decided,
    workflow_routes: policy.guidance.workflow_routes.every(known),
    allowed_uses: policy.guidance.allowed_uses.every(known),
    blocked_uses: policy.guidance.blocked_uses.every(known),
    missing_routing_inputs: policy.guidance.missing_routing_inputs.every(known),
  };
}
