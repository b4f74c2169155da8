import type { TaxonomyFile, TaxonomyTerm } from './content';
import type { Report } from './fault';

/** Published words by kind (`states`, `event_classes`, …) and value. */
export interface Taxonomy {
  readonly kinds: ReadonlyMap<string, ReadonlyMap<string, TaxonomyTerm>>;
  /** @throws UnknownTermError if the taxonomy lacks the word: such a packet must not be made */
  readonly term: (kind: string, value: string) => TaxonomyTerm;
}

export class UnknownTermError extends Error {
  constructor(
    readonly kind: string,
    readonly value: string,
  ) {
    super(`"${value}" is not in the taxonomy's ${kind}`);
    this.name = 'UnknownTermError';
  }
}

/** Words by kind (`states`, `event_classes`, …) and value. */
const BINDINGS: Readonly<Record<string, string>> = {
  states: 'feature_families',
  event_classes: 'event_profiles',
  drivers: 'feature_families',
  tag_families: 'feature_families',
};

export function compileTaxonomy(file: TaxonomyFile, report: Report): Taxonomy {
  const kinds = new Map<string, ReadonlyMap<string, TaxonomyTerm>>();
  for (const [kind, terms] of Object.entries(file)) {
    const byValue = new Map<string, TaxonomyTerm>();
    terms.forEach((term, i) => {
      if (byValue.has(term.value)) report(`/${kind}/${i}/value`, `("${term.value}") appears twice`);
      byValue.set(term.value, term);
    });
    kinds.set(kind, byValue);
  }
  for (const [kind, target] of Object.entries(BINDINGS)) {
    (file[kind] ?? []).forEach((term, i) => {
      if (!kinds.get(target)?.has(term.binding ?? ''))
        report(`/${kind}/${i}/binding`, `("${term.binding ?? ''}") is not one of the ${target}`);
    });
  }
  return {
    kinds,
    term: (kind, value) => {
      const term = kinds.get(kind)?.get(value);
      if (term === undefined) throw new UnknownTermError(kind, value);
      return term;
    },
  };
}
