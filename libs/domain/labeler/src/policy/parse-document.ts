import { buildPolicy } from './build-policy';
import { faultAt, PolicyError, type PolicyFault } from './fault';
import { POLICY_FILES, type PolicyFileName } from './files';
import { pointerPart, readJsonText } from './json-text';
import type { Policy } from './policy';

/**
 * The policy of one JSON document that holds the ten files by their names without `.json`, as `labeling-policy` publishes them. `name` is
 * that of the document, by which faults are told.
 * @throws PolicyError with every fault at once, each with its line in the document
 */
export function parsePolicyDocument(name: string, text: string): Policy {
  const read = readJsonText(text);
  const faults: PolicyFault[] = read.faults.map(({ line, pointer, message }) => faultAt(name, line, pointer, message));
  const report = (pointer: string, says: string): void => void faults.push(faultAt(name, read.lineOf(pointer), pointer, says));
  if (faults.length > 0) throw new PolicyError(faults);
  if (!isObject(read.value)) throw new PolicyError([faultAt(name, 1, '', 'holds no object of policy files')]);
  for (const file of Object.keys(read.value)) {
    if (!(POLICY_FILES as readonly string[]).includes(file)) report(`/${pointerPart(file)}`, `is none of ${POLICY_FILES.join(', ')}`);
  }
  for (const file of POLICY_FILES) if (!Object.hasOwn(read.value, file)) report('', `lacks "${file}"`);
  const contents: Partial<Record<PolicyFileName, unknown>> = read.value;
  const policy = buildPolicy(contents, (file) => (pointer, says) => report(`/${file}${pointer}`, says));
  if (faults.length > 0) throw new PolicyError([...faults].sort((one, other) => (one.line ?? 0) - (other.line ?? 0)));
  return policy;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
