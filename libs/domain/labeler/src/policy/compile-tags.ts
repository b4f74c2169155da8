import type { PolicyContent, TagGroupEntry } from './content';
import { factTable } from './fact-table';
import type { Report } from './fault';
import { compileTagGroup, possibleTags, type TagRule } from './rules';
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
  content.tags.not_counted.forEach((family, i) => checkFamily(family, taxonomy, `/not_counted/${i}`, report));
  content.tags.groups.forEach((group, i) => checkGroup(group, taxonomy, `/groups/${i}`, report));
  const possible = content.tags.groups.flatMap((group) => possibleTags(group, table));
  const twice = possible.find((tag, i) => possible.indexOf(tag) !== i);
  if (twice !== undefined) report('/groups', `two rules make the tag "${twice}"`);
  return {
    rules: content.tags.groups.map((group, i) => compileTagGroup(group, table, `/groups/${i}`, report)),
    notCounted: new Set(content.tags.not_counted),
    possible: new Set(possible),
  };
}

/** The family and the horizon must be in the taxonomy. */
export function checkGroup(group: TagGroupEntry, taxonomy: Taxonomy, path: string, report: Report): void {
  checkFamily(group.family, taxonomy, `${path}/family`, report);
  const { horizon } = group;
  if (horizon !== undefined && !taxonomy.kinds.get('tag_horizons')?.has(horizon)) report(`${path}/horizon`, `"${horizon}" is not one of the tag_horizons`);
}

function checkFamily(family: string, taxonomy: Taxonomy, path: string, report: Report): void {
  if (!taxonomy.kinds.get('tag_families')?.has(family)) report(path, `"${family}" is not one of the tag_families`);
}
