import {
  type CompiledLane,
  type CompiledTags,
  type CompiledReason,
  type CompiledTexts,
  type CompiledValues,
  compileLanes,
  compileTags,
  compileTexts,
  compileValues,
  factTable,
  compileReasons,
} from './rules';
import {
  type GuidanceField,
  type LanesFile,
  type PolicyContent,
  type RoutesFile,
  type TextField,
  type TextsFile,
  type VersionsFile,
  GUIDANCE_FIELDS,
  TEXT_FIELDS,
  type GuidanceFile,
} from './content';
import type { FactDeclaration } from './facts';
import type { PolicyNumbers } from './numbers';
import { type Taxonomy, compileTaxonomy, checkWords } from './taxonomy';
import { canonicalJson, sha256Hex } from '../lineage';
import { checkNumbers } from './check-numbers';
import { type Report, type PolicyFileName, faultAt, PolicyError, type PolicyFault, SHIPPED_POLICY_FILES } from './files';
import factsFile from '../../policy/facts.json';

/** Policies with the same digest are identical. */
export interface Policy {
  /** SHA-256, lower-case hex, of the RFC 8785 JSON of {file name without `.json`: content}. */
  readonly digest: string;
  readonly files: PolicyContent;
  readonly numbers: PolicyNumbers;
  readonly facts: readonly FactDeclaration[];
  readonly sourceFamilyOf: ReadonlyMap<string, string>;
  readonly taxonomy: Taxonomy;
  readonly tags: CompiledTags;
  /** In file order; the last is for a read without counterevidence. */
  readonly reasons: readonly CompiledReason[];
  readonly lanes: readonly CompiledLane[];
  readonly producerLane: LanesFile['producer_lane'];
  readonly stateLane: LanesFile['state_lane'];
  readonly routes: RoutesFile;
  readonly guidance: Readonly<Record<GuidanceField, CompiledValues>>;
  readonly texts: Readonly<Record<TextField, CompiledTexts>>;
  readonly literals: Pick<TextsFile, 'claim_boundary' | 'trade_instruction' | 'market_outcome_claim'>;
  readonly versions: VersionsFile;
}

/** `buyer_use` has one sentence per diagnosis class instead. */
const ALWAYS_SAID: readonly TextField[] = ['headline', 'next_step', 'readout', 'support', 'next_check', 'route_reason'];

/** The last rule of a mandatory sentence must always hold. */
function checkTexts(file: TextsFile, report: Report): void {
  for (const field of ALWAYS_SAID) {
    const last = file[field].length - 1;
    if (!('always' in (file[field][last]?.when ?? {})))
      report(`/${field}/${last}/when`, 'must be {"always": true}: it is the last rule of a sentence that every packet has');
  }
}

const PARAMETERS = new Set(['symbol', 'event_id', 'cursor', 'window_start_ms', 'window_end_ms']);

function checkRoutes(file: RoutesFile, taxonomy: Taxonomy, report: Report): void {
  for (const [name, path] of Object.entries(file.routes)) {
    for (const [, parameter] of path.matchAll(/\{([^}]*)\}/g)) {
      if (!PARAMETERS.has(parameter ?? '')) report(`/routes/${name}`, `uses an unknown parameter, "${parameter}"`);
    }
  }
  file.route_refs.forEach((name, i) => {
    if (!(name in file.routes)) report(`/route_refs/${i}`, `("${name}") is not a route`);
  });
  const recommendations = taxonomy.kinds.get('route_recommendations');
  for (const value of recommendations?.keys() ?? []) {
    if (!(value in file.recommended)) report('/recommended', `lacks a route for "${value}"`);
  }
  for (const [value, name] of Object.entries(file.recommended)) {
    if (!recommendations?.has(value)) report(`/recommended/${value}`, 'is not one of the route_recommendations');
    if (!(name in file.routes)) report(`/recommended/${value}`, `("${name}") is not a route`);
  }
}

const KINDS: Readonly<Partial<Record<GuidanceField, string>>> = {
  source_quality_class: 'source_quality_classes',
  evidence_quality_class: 'evidence_quality_classes',
  route_recommendation: 'route_recommendations',
  automation_status: 'automation_statuses',
  workflow_routes: 'workflow_routes',
};

/** Single-value fields: their last rule must always hold. */
const DECIDED: readonly GuidanceField[] = ['source_quality_class', 'evidence_quality_class', 'route_recommendation', 'automation_status'];

const ALWAYS_BLOCKED = ['trade_execution', 'profitability_claims', 'investment_advice'];

function checkGuidance(file: GuidanceFile, taxonomy: Taxonomy, report: Report): void {
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
      report('/blocked_uses', `must always contain "${use}"`);
  }
}

/** Facts that this version computes; declarations can describe them, but not add any. */
const MADE = new Map(factsFile.facts.map((fact) => [fact.name, fact]));

function checkFacts(facts: readonly FactDeclaration[], taxonomy: Taxonomy, report: Report): void {
  facts.forEach((fact, i) => {
    const made = MADE.get(fact.name);
    if (made === undefined) report(`/facts/${i}/name`, `("${fact.name}") is not a fact that the labeler makes`);
    else {
      if (fact.type !== made.type) report(`/facts/${i}/type`, `("${fact.type}") of "${fact.name}" is a ${made.type}`);
      if (fact.stage !== made.stage) report(`/facts/${i}/stage`, `("${fact.stage}") of "${fact.name}" is ${made.stage}`);
    }
    if (facts.findIndex((other) => other.name === fact.name) !== i) report(`/facts/${i}/name`, `("${fact.name}") appears twice`);
    if (fact.taxonomy !== undefined && !taxonomy.kinds.has(fact.taxonomy))
      report(`/facts/${i}/taxonomy`, `("${fact.taxonomy}") is not a kind of the taxonomy`);
    if (fact.taxonomy !== undefined && fact.words !== undefined)
      report(`/facts/${i}/words`, 'cannot be combined with the words of a taxonomy');
    fact.derived_from?.forEach((name, j) => {
      if (facts.find((other) => other.name === name)?.packet_field === undefined)
        report(`/facts/${i}/derived_from/${j}`, `("${name}") is not a fact with a field of the packet`);
    });
    const { source_family: family } = fact;
    if (family !== undefined && !taxonomy.kinds.get('source_families')?.has(family))
      report(`/facts/${i}/source_family`, `("${family}") is not one of the source_families`);
  });
}

export type ReportOf = (file: PolicyFileName) => Report;

/** Reports inconsistencies of files that match their schemas. Use the policy only if nothing was reported. */
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

let shipped: Policy | undefined;

/**
 * Returns the shipped policy, compiled once per process. Schemas are checked at bundle time, because that takes a fifth
 * of a second.
 * @throws PolicyError with every inconsistency between its files, without lines
 */
export function loadPolicy(): Policy {
  shipped ??= compileShipped();
  return shipped;
}

function compileShipped(): Policy {
  const faults: PolicyFault[] = [];
  const content = SHIPPED_POLICY_FILES as unknown as PolicyContent;
  const policy = compilePolicy(content, (file) => (pointer, says) => faults.push(faultAt(`${file}.json`, null, pointer, says)));
  if (faults.length > 0) throw new PolicyError(faults);
  return policy;
}
