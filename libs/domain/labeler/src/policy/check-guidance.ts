import type { GuidanceField, GuidanceFile } from './content';
import type { Report } from './fault';
import type { Taxonomy } from './taxonomy';

/** Fields whose values are words of the taxonomy. */
const KINDS: Readonly<Partial<Record<GuidanceField, string>>> = {
  source_quality_class: 'source_quality_classes',
  evidence_quality_class: 'evidence_quality_classes',
  route_recommendation: 'route_recommendations',
  automation_status: 'automation_statuses',
  workflow_routes: 'workflow_routes',
};

/** Fields that take one value: their last rule must always hold. */
const DECIDED: readonly GuidanceField[] = ['source_quality_class', 'evidence_quality_class', 'route_recommendation', 'automation_status'];

/** What every packet blocks, whatever it reads. */
const ALWAYS_BLOCKED = ['trade_execution', 'profitability_claims', 'investment_advice'];

/** Every value is a word of the taxonomy, a field that needs a value always gets one, and what is always blocked stays so. */
export function checkGuidance(file: GuidanceFile, taxonomy: Taxonomy, report: Report): void {
  for (const [field, kind] of Object.entries(KINDS) as [GuidanceField, string][]) {
    file[field].forEach(({ value }, i) => {
      if (!taxonomy.kinds.get(kind)?.has(value)) report(`/${field}/${i}/value`, `("${value}") is not one of the ${kind}`);
    });
  }
  for (const field of DECIDED) {
    const last = file[field].length - 1;
    if (!('always' in (file[field][last]?.when ?? {})))
      report(`/${field}/${last}/when`, 'must be {"always": true}: it is the last rule of a field that needs a value');
  }
  for (const use of ALWAYS_BLOCKED) {
    if (!file.blocked_uses.some(({ value, when }) => value === use && 'always' in when))
      report('/blocked_uses', `must always hold "${use}"`);
  }
}
