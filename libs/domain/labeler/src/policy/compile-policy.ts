import { canonicalJson } from '../lineage/canonical-json';
import { sha256Hex } from '../lineage/digests';
import { checkFacts, checkGuidance, checkRoutes, checkTexts, checkWords } from './check-content';
import { checkNumbers } from './check-numbers';
import { compileLanes } from './compile-lanes';
import { compileTags, compileTexts, compileValues, factTable, type CompiledTexts, type CompiledValues, type CompiledReason } from './rules';
import { GUIDANCE_FIELDS, TEXT_FIELDS, type GuidanceField, type PolicyContent, type TextField } from './content';
import type { Report } from './fault';
import type { PolicyFileName } from './files';
import type { Policy } from './policy';
import { compileTaxonomy, type Taxonomy } from './taxonomy';
import { compileCondition, type FactTable } from './condition';
import { compileTemplate, type LabelOf } from './template';

/** The reason templates in file order, and last the one for when nothing weighs against the read; each reason's horizon is its lane's. */
function compileReasons(
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

/** Collects a fault of one of the files. */
export type ReportOf = (file: PolicyFileName) => Report;

/**
 * Makes the policy of files that have the shape of their schemas, and reports what does not fit between them: a rule over what does not
 * exist, an impossible pair. Only without a fault is the policy to be used.
 */
export function compilePolicy(content: PolicyContent, reportOf: ReportOf): Policy {
  const taxonomy = compileTaxonomy(content.taxonomy, reportOf('taxonomy'));
  const labelOf = (kind: string, value: string) => taxonomy.term(kind, value).label;
  const table = factTable(content.facts.facts, taxonomy, ['market', 'packet']);
  const compiledValues = GUIDANCE_FIELDS.map((field) => [
    field,
    compileValues(content.guidance[field], table, `/${field}`, reportOf('guidance')),
  ]);
  const compiledTexts = TEXT_FIELDS.map((field) => [
    field,
    compileTexts(content.texts[field], table, labelOf, `/${field}`, reportOf('texts')),
  ]);
  checkNumbers(content.numbers, reportOf('numbers'));
  checkWords(content, taxonomy, reportOf('taxonomy'));
  checkFacts(content.facts.facts, taxonomy, reportOf('facts'));
  checkGuidance(content.guidance, taxonomy, reportOf('guidance'));
  checkRoutes(content.routes, taxonomy, reportOf('routes'));
  checkTexts(content.texts, reportOf('texts'));
  const files = { ...content };
  return {
    digest: sha256Hex(canonicalJson(files)),
    files,
    numbers: content.numbers,
    facts: content.facts.facts,
    sourceFamilyOf: new Map(
      content.facts.facts.flatMap(({ name, source_family: family }) => (family === undefined ? [] : [[name, family]])),
    ),
    taxonomy,
    tags: compileTags(content, taxonomy, reportOf('tags')),
    reasons: compileReasons(content, taxonomy, table, labelOf, reportOf('reasons')),
    lanes: compileLanes(content, taxonomy, labelOf, reportOf('lanes')),
    producerLane: content.lanes.producer_lane,
    stateLane: content.lanes.state_lane,
    routes: content.routes,
    guidance: Object.fromEntries(compiledValues) as Record<GuidanceField, CompiledValues>,
    texts: Object.fromEntries(compiledTexts) as Record<TextField, CompiledTexts>,
    literals: content.texts,
    versions: content.versions,
  };
}
