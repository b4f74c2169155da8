import type { FactTable } from './condition';
import type { FactDeclaration } from './fact';
import type { Taxonomy } from './taxonomy';

/** The facts of these stages as a table that rules are compiled against. */
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
