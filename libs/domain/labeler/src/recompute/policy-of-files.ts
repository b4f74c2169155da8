import { canonicalJson } from '../lineage/canonical-json';
import { sha256Hex, type HexDigest } from '../lineage/digests';
import { compilePolicy, type Policy } from '../policy/policy';
import type { PolicyContent } from '../policy/content';
import { unusable } from '../verify/symbol-source';

/** Digest of policy files, given by name without `.json`. */
export function policyDigestOf(files: object): HexDigest {
  return sha256Hex(canonicalJson(files));
}

/**
 * Compiles policy files whose digest is that of published packets. Schemas are not checked again, because the validator
 * generates code, which pages may not run.
 * @throws SourceError if they are not a policy nevertheless
 */
export function policyOfFiles(files: object): Policy {
  const faults: string[] = [];
  try {
    const policy = compilePolicy(files as PolicyContent, (file) => (pointer, says) => faults.push(`${file}.json: ${pointer} ${says}`));
    if (faults.length === 0) return policy;
  } catch {
    faults.push('the policy files do not have the form of a policy');
  }
  throw unusable(...faults);
}
