import { compilePolicy } from './compile-policy';
import type { PolicyContent } from './content';
import { faultAt, PolicyError, type PolicyFault } from './fault';
import { SHIPPED_POLICY_FILES } from './files';
import type { Policy } from './policy';

let shipped: Policy | undefined;

/**
 * The policy that ships with this version, compiled once in a process. Its files are part of the program: that they have the shape of
 * their schemas is checked when the program is bundled, not again in each process, which would take it a fifth of a second.
 * @throws PolicyError with every fault between its files, without lines.
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
