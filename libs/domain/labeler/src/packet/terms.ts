import type { Term } from '../read';

/** Terms of a score by name; null: nothing to read, counted as 0 for the reason that `term_notes` gives under the same name. */
export type Terms = Readonly<Record<string, number | null>>;
export type TermNotes = Readonly<Record<string, 'source_missing' | 'not_available'>>;

export function termValues<Value extends number | null>(terms: readonly Term<Value>[]): Readonly<Record<string, Value>> {
  return Object.fromEntries(terms.map((term) => [term.name, term.value]));
}

/** The notes as a member, only where a term is null. */
export function withNotes(terms: readonly Term[]): { readonly term_notes?: TermNotes } {
  const notes = terms.flatMap((term) => (term.note === undefined ? [] : [[term.name, term.note] as const]));
  return notes.length === 0 ? {} : { term_notes: Object.fromEntries(notes) };
}
