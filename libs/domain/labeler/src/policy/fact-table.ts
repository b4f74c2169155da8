import type { FactTable } from './condition';
import type { FactDeclaration } from './fact';
import type { Report } from './fault';
import type { Taxonomy } from './taxonomy';

/** The facts of these stages as a table that rules are compiled against. */
export function factTable(
  facts: readonly FactDeclaration[],
  taxonomy: Taxonomy,
  stages: readonly FactDeclaration['stage'][],
  report: Report = () => undefined,
): FactTable {
  const declarations = new Map<string, FactDeclaration>();
  facts.forEach((fact, i) => {
    if (fact.taxonomy !== undefined && !taxonomy.kinds.has(fact.taxonomy)) report(`/facts/${i}/taxonomy`, `the taxonomy has no ${fact.taxonomy}`);
    if (declarations.has(fact.name)) report(`/facts/${i}/name`, `"${fact.name}" stands twice`);
    if (stages.includes(fact.stage)) declarations.set(fact.name, fact);
  });
  return {
    declarations,
    words: (declaration) => {
      if (declaration.words !== undefined) return new Set(declaration.words);
      const terms = taxonomy.kinds.get(declaration.taxonomy ?? '');
      return terms === undefined ? null : new Set(terms.keys());
    },
  };
}
