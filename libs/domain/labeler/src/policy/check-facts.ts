import factsFile from '../../policy/facts.json';
import type { FactDeclaration } from './fact';
import type { Report } from './fault';
import type { Taxonomy } from './taxonomy';

/** The facts that this version of the labeler makes: a declaration can name and describe them, not add to them. */
const MADE = new Map(factsFile.facts.map((fact) => [fact.name, fact]));

/** Each declaration names a fact that the labeler makes, once, with its type and stage, and words that exist. */
export function checkFacts(facts: readonly FactDeclaration[], taxonomy: Taxonomy, report: Report): void {
  facts.forEach((fact, i) => {
    const made = MADE.get(fact.name);
    if (made === undefined) report(`/facts/${i}/name`, `("${fact.name}") is not a fact that the labeler makes`);
    else {
      if (fact.type !== made.type) report(`/facts/${i}/type`, `("${fact.type}") of "${fact.name}" is a ${made.type}`);
      if (fact.stage !== made.stage) report(`/facts/${i}/stage`, `("${fact.stage}") of "${fact.name}" is ${made.stage}`);
    }
    if (facts.findIndex((other) => other.name === fact.name) !== i) report(`/facts/${i}/name`, `("${fact.name}") stands twice`);
    if (fact.taxonomy !== undefined && !taxonomy.kinds.has(fact.taxonomy))
      report(`/facts/${i}/taxonomy`, `("${fact.taxonomy}") is no kind of the taxonomy`);
    if (fact.taxonomy !== undefined && fact.words !== undefined) report(`/facts/${i}/words`, 'stand beside the words of a taxonomy');
    fact.derived_from?.forEach((name, j) => {
      if (facts.find((other) => other.name === name)?.packet_field === undefined)
        report(`/facts/${i}/derived_from/${j}`, `("${name}") is no fact with a field of the packet`);
    });
    const { source_family: family } = fact;
    if (family !== undefined && !taxonomy.kinds.get('source_families')?.has(family))
      report(`/facts/${i}/source_family`, `("${family}") is not one of the source_families`);
  });
}
