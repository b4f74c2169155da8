import { compilePolicy } from './compile-policy';
import type { PolicyContent } from './content';
import { faultAt, PolicyError, type PolicyFault } from './fault';
import { SHIPPED_POLICY_FILES } from './files';
import type { Policy } from './policy';

let shipped: Policy | undefined;

/**
 * Returns the shipped policy, compiled once per process. Schemas are checked at bundle time, because that takes a fifth
 * of a second.
 * @throws PolicyError with every inconsistency between its files, without lines
 */
export function loadPolicy(): Policy {
  shipped ??= compileShipped();
  return shipped;
}

function compileShipped(): Policy {
  const faults: PolicyFault[] = [];
  const content = SHIPPED_POLICY_FILES as unknown as PolicyContent;
  const policy = compilePolicy(content, (file) => (pointer, says) => faults.push(faultAt(`${file}.json`, null, pointer, says)));
  if (faults.length > 0) throw new PolicyError(faults);
  return policy;
}
