import type { GuidanceField } from '../policy/content';
import type { FactSet } from '../policy/fact';
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

/**
 * Decides what the tables decide and adds the four single values to `facts`; the lists, decided after them, may read them.
 * @throws Error when a table has no value that holds.
 */
export function decideGuidance(facts: FactSet, policy: Policy): Guidance {
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
  Object.assign(facts, decided);
  return {
    ...decided,
    workflow_routes: policy.guidance.workflow_routes.every(facts),
    allowed_uses: policy.guidance.allowed_uses.every(facts),
    blocked_uses: policy.guidance.blocked_uses.every(facts),
    missing_routing_inputs: policy.guidance.missing_routing_inputs.every(facts),
  };
}
