import type { PolicyContent, TagGroupEntry } from './content';
import type { Report } from './fault';
import { compileTagGroup, factTable, possibleTags, type TagRule } from './rules';
import type { FactTable } from './condition';
import type { Taxonomy } from './taxonomy';

export interface CompiledTags {
  readonly rules: readonly TagRule[];
  /** Families that count neither in novelty nor in "tags changed". */
  readonly notCounted: ReadonlySet<string>;
  /** Every tag a packet can hold. */
  readonly possible: ReadonlySet<string>;
}

/** Tag rules over market facts alone: no tag can read novelty, the transition type or a digest. */
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

/** The groups' rules in file order; families and horizons must be in the taxonomy, and no tag may be made by two rules. */
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

function checkFamily(family: string, taxonomy: Taxonomy, path: string, report: Report): void {
  if (!taxonomy.kinds.get('tag_families')?.has(family)) report(path, `("${family}") is not one of the tag_families`);
}
