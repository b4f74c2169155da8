import type { Policy, Taxonomy } from './how-queries';

export interface Term {
  readonly value: string;
  readonly label: string;
  readonly meaning: string;
}

export function termsOf({ taxonomy }: Pick<Taxonomy, 'taxonomy'>, kind: string): readonly Term[] {
  return (taxonomy[kind] ?? []).flatMap((term) => (isTerm(term) ? [term] : []));
}

function isTerm(term: Partial<Term>): term is Term {
  return typeof term.value === 'string' && typeof term.label === 'string' && typeof term.meaning === 'string';
}

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

export interface PolicyThresholds {
  readonly watch: number;
  readonly elevated: number;
  /** True if a symbol's own packets adjust them. */
  readonly calibrated: boolean;
}

/** Empty if the policy's numbers file has a form unknown to this page. */
export function thresholdsOf({ files }: Pick<Policy, 'files'>): ReadonlyMap<string, PolicyThresholds> {
  const { thresholds = {} } = (files['numbers'] ?? {}) as { thresholds?: Record<string, unknown> };
  return new Map(Object.entries(thresholds).flatMap(([name, each]) => (isThresholds(each) ? [[name, each] as const] : [])));
}

function isThresholds(value: unknown): value is PolicyThresholds {
  const { watch, elevated, calibrated } = (value ?? {}) as Partial<PolicyThresholds>;
  return typeof watch === 'number' && typeof elevated === 'number' && typeof calibrated === 'boolean';
}
