import { compileCondition, type FactTable, type Test, type FactDeclaration, type Facts } from './facts';
import type { Stance, TagGroupEntry, TextRule, ValueRule, PolicyContent, LaneEntry } from './content';
import type { Report } from './files';
import type { Taxonomy } from './taxonomy';
import { compileTemplate, type LabelOf, type Template } from './template';

export function factTable(facts: readonly FactDeclaration[], taxonomy: Taxonomy, stages: readonly FactDeclaration['stage'][]): FactTable {
  return {
    declarations: new Map(facts.filter((fact) => stages.includes(fact.stage)).map((fact) => [fact.name, fact])),
    words: (declaration) => {
      if (declaration.words !== undefined) return new Set(declaration.words);
      const terms = taxonomy.kinds.get(declaration.taxonomy ?? '');
      return terms === undefined ? null : new Set(terms.keys());
    },
  };
}

type TagRule = (facts: Facts) => readonly string[];

export interface CompiledTags {
  readonly rules: readonly TagRule[];
  readonly notCounted: ReadonlySet<string>;
  /** Every tag a packet can contain. */
  readonly possible: ReadonlySet<string>;
}

/** Tags read only market facts, never novelty, the transition type or a digest. */
export function compileTags(content: PolicyContent, taxonomy: Taxonomy, report: Report): CompiledTags {
  const table = factTable(content.facts.facts, taxonomy, ['market']);
  const { groups, not_counted: notCounted } = content.tags;
  notCounted.forEach((family, i) => checkFamily(family, taxonomy, `/not_counted/${i}`, report));
  return {
    rules: compileTagGroups(groups, table, taxonomy, '/groups', report),
    notCounted: new Set(notCounted),
    possible: new Set(groups.flatMap((group) => possibleTags(group, table))),
  };
}

function compileTagGroups(
  groups: readonly TagGroupEntry[],
  table: FactTable,
  taxonomy: Taxonomy,
  path: string,
  report: Report,
): readonly TagRule[] {
  const made = new Set<string>();
  return groups.map((group, i) => {
    const at = `${path}/${i}`;
    checkFamily(group.family, taxonomy, `${at}/family`, report);
    const { horizon } = group;
    if (horizon !== undefined && !taxonomy.kinds.get('tag_horizons')?.has(horizon))
      report(`${at}/horizon`, `("${horizon}") is not one of the tag_horizons`);
    possibleTags(group, table).forEach((tag, j) => {
      if (made.has(tag)) report('values' in group ? `${at}/values/${j}/value` : `${at}/value_of`, `makes the tag "${tag}" a second time`);
      made.add(tag);
    });
    return compileTagGroup(group, table, at, report);
  });
}

function compileTagGroup(group: TagGroupEntry, table: FactTable, path: string, report: Report): TagRule {
  const write = (value: string) => [group.family, value, ...(group.horizon === undefined ? [] : [group.horizon])].join(':');
  if ('value_of' in group) {
    const declaration = table.declarations.get(group.value_of);
    if (declaration === undefined) report(`${path}/value_of`, `("${group.value_of}") is not a fact that a tag may read`);
    else if (declaration.type !== 'word' || table.words(declaration) === null)
      report(`${path}/value_of`, `("${group.value_of}") is not a word of a closed set`);
    return (facts) => {
      const value = facts[group.value_of];
      return typeof value === 'string' ? [write(value)] : [];
    };
  }
  const values = compileValues(group.values, table, `${path}/values`, report);
  if (group.pick === 'every') return (facts) => values.every(facts).map(write);
  return (facts) => {
    const value = values.first(facts);
    return value === null ? [] : [write(value)];
  };
}

function possibleTags(group: TagGroupEntry, table: FactTable): readonly string[] {
  const declaration = 'value_of' in group ? table.declarations.get(group.value_of) : undefined;
  const values =
    'values' in group ? group.values.map((entry) => entry.value) : declaration === undefined ? [] : [...(table.words(declaration) ?? [])];
  return values.map((value) => [group.family, value, ...(group.horizon === undefined ? [] : [group.horizon])].join(':'));
}

function checkFamily(family: string, taxonomy: Taxonomy, path: string, report: Report): void {
  if (!taxonomy.kinds.get('tag_families')?.has(family)) report(path, `("${family}") is not one of the tag_families`);
}

export interface CompiledValues {
  readonly first: (facts: Facts) => string | null;
  /** All matching values, in file order. */
  readonly every: (facts: Facts) => readonly string[];
}

export function compileValues(rules: readonly ValueRule[], table: FactTable, path: string, report: Report): CompiledValues {
  const compiled = rules.map((rule, i) => ({ value: rule.value, test: compileCondition(rule.when, table, `${path}/${i}/when`, report) }));
  return {
    first: (facts) => compiled.find((rule) => rule.test(facts))?.value ?? null,
    every: (facts) => compiled.filter((rule) => rule.test(facts)).map((rule) => rule.value),
  };
}

/** A sentence with an absent fact does not match. */
export interface CompiledTexts {
  readonly first: (facts: Facts) => string;
  /** All matching sentences, in file order. */
  readonly every: (facts: Facts) => readonly string[];
}

export function compileTexts(rules: readonly TextRule[], table: FactTable, labelOf: LabelOf, path: string, report: Report): CompiledTexts {
  const compiled = rules.map((rule, i) => ({
    test: compileCondition(rule.when, table, `${path}/${i}/when`, report),
    template: compileTemplate(rule.text, table, labelOf, `${path}/${i}/text`, report),
  }));
  return {
    first: (facts) => {
      for (const { test, template } of compiled) {
        const sentence = test(facts) ? template.render(facts) : null;
        if (sentence !== null) return sentence;
      }
      return '';
    },
    every: (facts) =>
      compiled.flatMap(({ test, template }) => {
        const sentence = test(facts) ? template.render(facts) : null;
        return sentence === null ? [] : [sentence];
      }),
  };
}

export interface CompiledReason {
  readonly reasonId: string;
  readonly family: string;
  readonly lane: string;
  readonly horizon: string;
  readonly stance: Stance;
  readonly test: Test;
  readonly claim: Template;
  readonly features: readonly string[];
  readonly evidence: readonly string[];
}

/** The reason for no counterevidence comes last. A reason's horizon is its lane's. */
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

interface TagPolicy {
  readonly tags: CompiledTags;
}

/** Tags of a packet in policy order, each `<family>:<value>:<horizon>` or `<family>:<value>`. */
export function deriveTags(facts: Facts, { tags }: TagPolicy): readonly string[] {
  return tags.rules.flatMap((rule) => rule(facts));
}

export function countedTags(tags: readonly string[], policy: TagPolicy): readonly string[] {
  return tags.filter((tag) => !policy.tags.notCounted.has(tag.slice(0, tag.indexOf(':'))));
}

/** Compute lane whose tag rules and claims read only its own facts. */
export interface CompiledLane {
  readonly entry: LaneEntry;
  readonly tags: readonly TagRule[];
  readonly claims: CompiledTexts;
}

const LANE_IDS: readonly string[] = ['hot_path', 'short_window', 'session_regime', 'historical_replay', 'event_lineage'];

export function compileLanes(content: PolicyContent, taxonomy: Taxonomy, labelOf: LabelOf, report: Report): readonly CompiledLane[] {
  const table = factTable(content.facts.facts, taxonomy, ['lane']);
  const { lanes } = content.lanes;
  for (const role of ['producer_lane', 'state_lane'] as const) {
    const laneId = content.lanes[role];
    if (!lanes.some((lane) => lane.lane_id === laneId)) report(`/${role}`, `("${laneId}") is not a lane`);
  }
  for (const laneId of LANE_IDS) if (!lanes.some((lane) => lane.lane_id === laneId)) report('/lanes', `lack "${laneId}"`);
  const checkNumberName = (path: string, name: string) => {
    if (table.declarations.get(`lane_${name}`)?.type !== 'number') report(path, `names an unknown number of a lane, "${name}"`);
  };
  return lanes.map((entry, i) => {
    const path = `/lanes/${i}`;
    if (!LANE_IDS.includes(entry.lane_id)) report(`${path}/lane_id`, `("${entry.lane_id}") is not a lane that the labeler computes`);
    if (lanes.findIndex((lane) => lane.lane_id === entry.lane_id) !== i) report(`${path}/lane_id`, `("${entry.lane_id}") appears twice`);
    for (const name of Object.keys(entry.left_out_without)) checkNumberName(`${path}/left_out_without/${name}`, name);
    entry.left_out_when_zero.forEach((name, j) => checkNumberName(`${path}/left_out_when_zero/${j}`, name));
    return {
      entry,
      tags: compileTagGroups(entry.tags, table, taxonomy, `${path}/tags`, report),
      claims: compileTexts(entry.claims, table, labelOf, `${path}/claims`, report),
    };
  });
}
