import { checkSchema } from './check-schema';
import { compilePolicy, type ReportOf } from './compile-policy';
import type { PolicyContent } from './content';
import { POLICY_FILES, REFERS_TO, SHIPPED_POLICY_FILES, type PolicyFileName } from './files';
import type { Policy } from './policy';

/**
 * Holds the files against their schemas and against each other and makes the policy of them; every fault is reported. A file that has not
 * the shape of its schema is not held against the others, nor is one that refers to it. Only without a fault is the policy to be used.
 */
export function buildPolicy(files: Readonly<Partial<Record<PolicyFileName, unknown>>>, reportOf: ReportOf): Policy {
  const refused = new Set(POLICY_FILES.filter((file) => files[file] === undefined || !checkSchema(file, files[file], reportOf(file))));
  const held = (file: PolicyFileName) => !refused.has(file) && REFERS_TO[file].every((other) => !refused.has(other));
  const content = Object.fromEntries(POLICY_FILES.map((file) => [file, refused.has(file) ? SHIPPED_POLICY_FILES[file] : files[file]]));
  return compilePolicy(content as unknown as PolicyContent, (file) => (held(file) ? reportOf(file) : () => undefined));
}
