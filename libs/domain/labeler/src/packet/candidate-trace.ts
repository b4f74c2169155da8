import { COMPOSITES, type Candidate, type MarketRead, type StateName, type Term } from '../read';
import { absenceOf } from './composite-facts';
import { termValues, withNotes, type TermNotes, type Terms } from './terms';

/**
 * A candidate with its score (0..1) and the terms that made it; norms of composites stand with
 * the composites.
 */
export interface CandidateState {
  readonly state: StateName;
  readonly score: number;
  readonly terms: Terms;
  /** Only where a term is null. */
  readonly term_notes?: TermNotes;
}

/** All ten in table order, which is also that of ties. */
export function candidateStates(read: MarketRead): readonly CandidateState[] {
  const { candidates } = read.decision;
  return candidates.map((candidate) => {
    const terms = candidate.terms.filter(isItsOwn).map((term) => asRead(term, read));
    return {
      state: candidate.state,
      score: candidate.score,
      terms: termValues(terms),
      ...withNotes(terms),
    };
  });
}

function isItsOwn({ name }: Candidate['terms'][number]): boolean {
  return !COMPOSITES.some((composite) => name === `${composite}_norm`);
}

/** What comes of a composite that cannot be read counted as 0; the trace says so instead of showing a 0. */
function asRead(term: Candidate['terms'][number], read: MarketRead): Term {
  const composite = COMPOSITES.find((name) => term.name.startsWith(`${name}_`));
  const absence = composite === undefined ? null : absenceOf(read, composite);
  return absence === null ? term : { name: term.name, value: null, note: absence };
}
