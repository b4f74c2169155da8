import { canonicalJson } from '../lineage/canonical-json';
import { sha256Hex } from '../lineage/digests';
import { checkFacts } from './check-facts';
import { checkGuidance } from './check-guidance';
import { checkNumbers } from './check-numbers';
import { checkRoutes } from './check-routes';
import { checkTexts } from './check-texts';
import { checkWords } from './check-words';
import { compileLanes } from './compile-lanes';
import { compileReasons } from './compile-reasons';
import { compileTags } from './compile-tags';
import { GUIDANCE_FIELDS, TEXT_FIELDS, type GuidanceField, type PolicyContent, type TextField } from './content';
import { factTable } from './fact-table';
import type { Report } from './fault';
import type { PolicyFileName } from './files';
import type { Policy } from './policy';
import { compileTexts, compileValues, type CompiledTexts, type CompiledValues } from './rules';
import { compileTaxonomy } from './taxonomy';

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
