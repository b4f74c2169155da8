import type { Policy } from '../policy/policy';
import { jsonDifferences } from '../verify/compare-packet';

/** One value that two policies have differently. What a policy does not have is left out. */
export interface PolicyChange {
  /** For example `numbers.json`. */
  readonly file: string;
  /** JSON pointer. */
  readonly path: string;
  readonly a?: unknown;
  readonly b?: unknown;
}

/** Every value that differs, file by file. */
export function policyChanges(a: Pick<Policy, 'files'>, b: Pick<Policy, 'files'>): readonly PolicyChange[] {
  return [...jsonDifferences(a.files, b.files)].map(({ path, left, right }) => {
    const [, file = '', ...inside] = path.split('/');
    return { file: `${file}.json`, path: inside.map((name) => `/${name}`).join(''), a: left, b: right };
  });
}
