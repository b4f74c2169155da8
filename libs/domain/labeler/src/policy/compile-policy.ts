import { canonicalJson } from '../lineage/canonical-json';
import { sha256Hex } from '../lineage/digests';
import { checkNumbers } from './check-numbers';
import { compileLanes } from './compile-lanes';
import { compileTags, compileTexts, compileValues, factTable, type CompiledTexts, type CompiledValues, type CompiledReason } from './rules';
import {
  GUIDANCE_FIELDS,
  TEXT_FIELDS,
  type GuidanceField,
  type PolicyContent,
  type TextField,
  type GuidanceFile,
  type RoutesFile,
  type TextsFile,
} from './content';
import type { Report } from './fault';
import type { PolicyFileName } from './files';
import type { Policy } from './policy';
import { compileTaxonomy, type Taxonomy } from './taxonomy';
import { compileCondition, type FactTable } from './condition';
import { compileTemplate, type LabelOf } from './template';
import factsFile from '../../policy/facts.json';
import type { FactDeclaration } from './fact';
import { COMPOSITES, SOURCE_FAMILIES, STATES, type GapFlag } from '../read';

const GAP_FLAGS = [
  'book_gap',
  'trade_gap',
  'context_stale',
  'liquidation_proxy_only',
  'feed_reconnected',
  'recording_seam',
  'late_events',
] as const satisfies readonly GapFlag[];

/** Words that labeler code emits: a taxonomy without them would reject valid packets. */
const WRITTEN_WORDS: Readonly<Record<string, readonly string[]>> = {
  states: STATES,
  event_classes: [
    'retained_context_only',
    'bid_pressure_confirmed_by_buy_flow',
    'ask_pressure_confirmed_by_sell_flow',
    'bid_depth_absorption_against_sell_flow',
    'ask_depth_absorption_against_buy_flow',
    'trade_flow_leading_visible_book',
    'visible_depth_pressure_without_trade_confirmation',
    'funding_oi_crowding_context',
    'balanced_two_sided_context',
  ],
  event_profiles: [
    'retained_context',
    'flow_confirmed_pressure',
    'contra_flow_absorption',
    'trade_flow_lead',
    'depth_only_pressure',
    'crowding_context',
    'routine_context',
  ],
  directions: [
    'no_current_read',
    'book_pressure_and_trade_flow_confirmed',
    'sell_flow_absorbed_by_bid_liquidity',
    'buy_flow_absorbed_by_ask_liquidity',
    'aggressive_buy_flow',
    'aggressive_sell_flow',
    'bid_heavy_depth',
    'ask_heavy_depth',
    'open_interest_context_attached',
    'no_dominant_side',
  ],
  severity_classes: ['routine_context', 'elevated_context', 'high_context', 'critical_context'],
  diagnosis_classes: ['contested_context_review', 'active_context_read', 'competing_state_read'],
  transition_types: ['lineage_context_pending', 'state_changed', 'same_state_new_context', 'state_reaffirmed'],
  confidence_labels: ['low', 'medium', 'high'],
  quality_classes: ['strong', 'usable', 'limited'],
  gap_flags: GAP_FLAGS,
  source_families: SOURCE_FAMILIES,
  source_statuses: ['resolved', 'partial', 'missing'],
  drivers: [...COMPOSITES, 'movement', 'thin_depth', 'none'],
  threshold_sources: ['policy_default', 'symbol_rolling_quantile'],
  source_kinds: ['live', 'recorded', 'simulated'],
  rejection_reasons: [
    'outscored',
    'tie_lost_to_higher_row',
    'score_zero',
    'source_missing',
    'not_measurable',
    'not_triggered',
    'overridden_by_source_state',
    'not_open',
  ],
  publication_rules: ['first_packet', 'winner_is_published', 'changed_to_winner', 'changed_on_release', 'held_by_dwell'],
};

function checkWords({ taxonomy: file, numbers }: PolicyContent, taxonomy: Taxonomy, report: Report): void {
  for (const [kind, words] of Object.entries(WRITTEN_WORDS)) {
    for (const word of words) if (!taxonomy.kinds.get(kind)?.has(word)) report(`/${kind}`, `lacks "${word}", which packets contain`);
  }
  (file['states'] ?? []).forEach(({ value }, i) => {
    if (!(value in numbers.state_composites)) report(`/states/${i}/value`, `("${value}") has no entry in state_composites of numbers.json`);
  });
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

/** The reason for no counterevidence comes last. A reason's horizon is its lane's. */
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
      report(`${path}/reason_id`, `("${reason.reason_id}") appears twice`);
    reason.features.forEach((name, j) => {
      if (!table.declarations.has(name)) report(`${path}/features/${j}`, `("${name}") is not a fact that a reason may read`);
    });
    reason.evidence.forEach((name, j) => {
      if (!(name in content.routes.routes)) report(`${path}/evidence/${j}`, `("${name}") is not a route`);
    });
    const claim = compileTemplate(reason.claim, table, labelOf, `${path}/claim`, report);
    for (const name of claim.facts) {
      const declaration = table.declarations.get(name);
      if (declaration?.type === 'number' && declaration.packet_field === undefined && declaration.derived_from === undefined)
        report(`${path}/claim`, `prints "${name}", which is not in the packet`);
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
