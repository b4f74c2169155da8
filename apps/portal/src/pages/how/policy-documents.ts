import type { Policy, Taxonomy } from './how-queries';

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

/** Thresholds of a composite in the policy, before a symbol's own packets set them. */
export interface PolicyThresholds {
  readonly watch: number;
  readonly elevated: number;
  /** Whether a symbol's own packets move them. */
  readonly calibrated: boolean;
}

/** Thresholds by composite, as the policy's file of numbers has them; none where it has another form than this page knows. */
export function thresholdsOf({ files }: Pick<Policy, 'files'>): ReadonlyMap<string, PolicyThresholds> {
  const { thresholds = {} } = (files['numbers'] ?? {}) as { thresholds?: Record<string, unknown> };
  return new Map(Object.entries(thresholds).flatMap(([name, each]) => (isThresholds(each) ? [[name, each] as const] : [])));
}

function isThresholds(value: unknown): value is PolicyThresholds {
  const { watch, elevated, calibrated } = (value ?? {}) as Partial<PolicyThresholds>;
  return typeof watch === 'number' && typeof elevated === 'number' && typeof calibrated === 'boolean';
}
