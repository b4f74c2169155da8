import { compileCondition, type FactTable, type Test } from './condition';
import type { Stance, TagGroupEntry, TextRule, ValueRule, PolicyContent } from './content';
import type { FactDeclaration, Facts } from './fact';
import type { Report } from './fault';
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

export type TagRule = (facts: Facts) => readonly string[];

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

export function compileTagGroups(
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
