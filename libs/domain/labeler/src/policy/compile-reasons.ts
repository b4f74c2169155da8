import { compileCondition, type FactTable } from './condition';
import type { PolicyContent } from './content';
import type { Report } from './fault';
import type { CompiledReason } from './rules';
import type { Taxonomy } from './taxonomy';
import { compileTemplate, type LabelOf } from './template';

/** The reason templates in file order, and last the one for when nothing weighs against the read; each reason's horizon is its lane's. */
export function compileReasons(
  content: PolicyContent,
  taxonomy: Taxonomy,
  table: FactTable,
  labelOf: LabelOf,
  report: Report,
): readonly CompiledReason[] {
  const horizons = new Map(content.lanes.lanes.map((lane) => [lane.lane_id, lane.horizon]));
  const reasons = [...content.reasons.reasons, content.reasons.nothing_against];
  return reasons.map((reason, i) => {
    const path = i < content.reasons.reasons.length ? `/reasons/${i}` : '/nothing_against';
    const horizon = horizons.get(reason.lane);
    if (horizon === undefined) report(`${path}/lane`, `("${reason.lane}") is not a lane`);
    if (!taxonomy.kinds.get('reason_families')?.has(reason.family))
      report(`${path}/family`, `("${reason.family}") is not one of the reason_families`);
    if (reasons.findIndex((other) => other.reason_id === reason.reason_id) !== i)
      report(`${path}/reason_id`, `("${reason.reason_id}") stands twice`);
    reason.features.forEach((name, j) => {
      if (!table.declarations.has(name)) report(`${path}/features/${j}`, `("${name}") is no fact that a reason may read`);
    });
    reason.evidence.forEach((name, j) => {
      if (!(name in content.routes.routes)) report(`${path}/evidence/${j}`, `("${name}") is no route`);
    });
    const claim = compileTemplate(reason.claim, table, labelOf, `${path}/claim`, report);
    for (const name of claim.facts) {
      const declaration = table.declarations.get(name);
      if (declaration?.type === 'number' && declaration.packet_field === undefined && declaration.derived_from === undefined)
        report(`${path}/claim`, `prints "${name}", which stands nowhere in the packet`);
    }
    return {
      reasonId: reason.reason_id,
      family: reason.family,
      lane: reason.lane,
      horizon: horizon ?? '',
      stance: reason.stance,
      test: compileCondition(reason.when, table, `${path}/when`, report),
      claim,
      features: reason.features,
      evidence: reason.evidence,
    };
  });
}
