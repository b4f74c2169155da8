import { canonicalJson } from '../lineage/canonical-json';
import { sha256Hex } from '../lineage/digests';
import { checkSchemas } from './check-schema';
import { compileReasons } from './compile-reasons';
import { compileLanes, type CompiledLane } from './compile-lanes';
import type { GuidanceField, LanesFile, RoutesFile, TextField, TextsFile, VersionsFile } from './content';
import { GUIDANCE_FIELDS, TEXT_FIELDS } from './content';
import type { FactDeclaration } from './fact';
import { factTable } from './fact-table';
import { PolicyError, type PolicyFault, type Report } from './fault';
import { SHIPPED_POLICY_FILES, type PolicyFileName, type PolicyFiles } from './files';
import type { PolicyNumbers } from './numbers';
import { checkNumbers } from './check-numbers';
import { checkRoutes } from './check-routes';
import { compileTags, type CompiledTags } from './compile-tags';
import { compileTexts, compileValues, type CompiledReason, type CompiledTexts, type CompiledValues } from './rules';
import { compileTaxonomy, type Taxonomy } from './taxonomy';

/** The labeler's policy, checked and ready to be asked. Two policies with the same digest are the same policy. */
export interface Policy {
  /** SHA-256, lower-case hex, of the RFC 8785 JSON of {file name without `.json`: content}. */
  readonly digest: string;
  readonly files: PolicyFiles;
  readonly numbers: PolicyNumbers;
  readonly facts: readonly FactDeclaration[];
  /** Source family by feature, for the features that need one. */
  readonly sourceFamilyOf: ReadonlyMap<string, string>;
  readonly taxonomy: Taxonomy;
  readonly tags: CompiledTags;
  readonly reasons: readonly CompiledReason[];
  readonly lanes: readonly CompiledLane[];
  readonly producerLane: LanesFile['producer_lane'];
  readonly routes: RoutesFile;
  readonly guidance: Readonly<Record<GuidanceField, CompiledValues>>;
  readonly texts: Readonly<Record<TextField, CompiledTexts>>;
  readonly literals: Pick<
    TextsFile,
    'claim_boundary' | 'trade_instruction' | 'market_outcome_claim' | 'lane_statement' | 'nothing_against' | 'why_now_reason_total'
  >;
  readonly versions: VersionsFile;
}

/**
 * The policy of these files; without them, of those that ship with this version.
 * @throws PolicyError with every fault: an unknown key, an impossible value or pair, a rule over an unknown fact or word.
 */
export function loadPolicy(files: PolicyFiles = SHIPPED_POLICY_FILES): Policy {
  const content = checkSchemas(files);
  const faults: PolicyFault[] = [];
  const reportOf =
    (file: PolicyFileName): Report =>
    (path, message) =>
      faults.push({ file, path, message });
  const taxonomy = compileTaxonomy(content.taxonomy, reportOf('taxonomy'));
  const labelOf = (kind: string, value: string) => taxonomy.term(kind, value).label;
  const table = factTable(content.facts.facts, taxonomy, ['market', 'packet'], reportOf('facts'));
  const compiledValues = GUIDANCE_FIELDS.map((field) => [field, compileValues(content.guidance[field], table, `/${field}`, reportOf('guidance'))]);
  const compiledTexts = TEXT_FIELDS.map((field) => [field, compileTexts(content.texts[field], table, labelOf, `/${field}`, reportOf('texts'))]);
  checkNumbers(content.numbers, reportOf('numbers'));
  checkRoutes(content.routes, taxonomy, reportOf('routes'));
  const policy: Policy = {
    digest: sha256Hex(canonicalJson(files)),
    files,
    numbers: content.numbers,
    facts: content.facts.facts,
    sourceFamilyOf: new Map(content.facts.facts.flatMap(({ name, source_family: family }) => (family === undefined ? [] : [[name, family]]))),
    taxonomy,
    tags: compileTags(content, taxonomy, reportOf('tags')),
    reasons: compileReasons(content, taxonomy, table, labelOf, reportOf('reasons')),
    lanes: compileLanes(content, taxonomy, labelOf, reportOf('lanes')),
    producerLane: content.lanes.producer_lane,
    routes: content.routes,
    guidance: Object.fromEntries(compiledValues) as Record<GuidanceField, CompiledValues>,
    texts: Object.fromEntries(compiledTexts) as Record<TextField, CompiledTexts>,
    literals: content.texts,
    versions: content.versions,
  };
  if (faults.length > 0) throw new PolicyError(faults);
  return policy;
}
