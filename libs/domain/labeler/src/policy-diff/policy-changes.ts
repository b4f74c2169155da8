import type { Policy } from '../policy/policy';
import { jsonDifferences } from '../verify/compare-packet';

/** A side that lacks the value is omitted. */
export interface PolicyChange {
  readonly file: string;
  /** JSON pointer. */
  readonly path: string;
  readonly a?: unknown;
  readonly b?: unknown;
}

export function policyChanges(a: Pick<Policy, 'files'>, b: Pick<Policy, 'files'>): readonly PolicyChange[] {
  return [...jsonDifferences(a.files, b.files)].map(({ path, left, right }) => {
    const [, file = '', ...inside] = path.split('/');
    return { file: `${file}.json`, path: inside.map((name) => `/${name}`).join(''), a: left, b: right };
  });
}
