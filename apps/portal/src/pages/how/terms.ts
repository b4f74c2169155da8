import type { Taxonomy } from './how-queries';

/** A term of the taxonomy: a state, an event class, a gap flag. */
export interface Term {
  readonly value: string;
  readonly label: string;
  readonly meaning: string;
}

/** Terms of one kind; none where the service has no such kind. */
export function termsOf({ taxonomy }: Pick<Taxonomy, 'taxonomy'>, kind: string): readonly Term[] {
  return (taxonomy[kind] ?? []).flatMap((term) => (isTerm(term) ? [term] : []));
}

function isTerm(term: Partial<Term>): term is Term {
  return typeof term.value === 'string' && typeof term.label === 'string' && typeof term.meaning === 'string';
}

/** Tags that have every word of a text in their name or meaning. */
export function tagsWith(tags: Taxonomy['tags'], text: string): Taxonomy['tags'] {
  const wanted = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return tags.filter(({ tag, meaning }) => {
    const said = `${tag} ${tag.replaceAll('_', ' ')} ${meaning}`.toLowerCase();
    return wanted.every((word) => said.includes(word));
  });
}
