import { canonicalJson } from '../lineage/canonical-json';
import { sha256Hex, type HexDigest } from '../lineage/digests';
import { compilePolicy } from '../policy/compile-policy';
import type { PolicyContent } from '../policy/content';
import type { Policy } from '../policy/policy';
import { unusable } from '../verify/symbol-source';

/** The digest of policy files: their content by name, without `.json`. */
export function policyDigestOf(files: object): HexDigest {
  return sha256Hex(canonicalJson(files));
}

/**
 * The policy of files whose digest is that of a policy which packets were made under. By that they have the form that its maker checked:
 * it is not checked again, since what checks it makes code, which pages may not run.
 * @throws SourceError when they are no policy all the same
 */
export function policyOfFiles(files: object): Policy {
  const faults: string[] = [];
  try {
    const policy = compilePolicy(files as PolicyContent, (file) => (pointer, says) => faults.push(`${file}.json: ${pointer} ${says}`));
    if (faults.length === 0) return policy;
  } catch {
    faults.push('the policy files have not the form of a policy');
  }
  throw unusable(...faults);
}
