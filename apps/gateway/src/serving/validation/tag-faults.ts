import type { FaultItem } from '../errors/fault-item';
import { definitions } from '../policy/definitions';

const FAMILIES = definitions.words('tag_families');

/** The tags of a list whose family there is not, named with the families that there are. */
export function tagFaults(values: Readonly<Record<string, unknown>>): FaultItem[] {
  const tags = [values['tag'] ?? []].flat().filter((tag) => typeof tag === 'string');
  const unknown = [...new Set(tags.map(familyOf))].filter((family) => !FAMILIES.includes(family));
  if (unknown.length === 0) return [];
  const names = unknown.map((name) => JSON.stringify(name.slice(0, 40))).join(', ');
  return [
    {
      loc: ['query', 'tag'],
      msg: `has ${names}, which is no family of tags: families are ${FAMILIES.join(', ')}`,
      type: 'unknown_tag_family',
    },
  ];
}

/** A tag is `<family>:<value>:<horizon>`. */
function familyOf(tag: string): string {
  return tag.split(':', 1)[0] ?? '';
}
