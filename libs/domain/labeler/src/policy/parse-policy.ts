import { buildPolicy } from './build-policy';
import { faultAt, PolicyError, type PolicyFault } from './fault';
import { POLICY_FILES, policyFileNames, type PolicyFileName } from './files';
import { readJsonText, type JsonText } from './json-text';
import type { Policy } from './policy';

/**
 * The policy of these files: JSON texts by file name (`numbers.json`), all ten and no other. The policy's digest covers their content and
 * nothing of how it is written: other white space or order of members is the same policy, and a changed value is another one whether
 * or not its version was changed too.
 * @throws PolicyError with every fault at once, each with its file and line: text that is not JSON, a name that stands twice, an unknown or
 * missing file, an unknown or missing key, a wrong type, an impossible value or pair, a rule over what does not exist.
 */
export function parsePolicy(files: ReadonlyMap<string, string> | Readonly<Record<string, string>>): Policy {
  const given = files instanceof Map ? new Map<string, string>(files) : new Map(Object.entries(files));
  const faults: PolicyFault[] = [];
  const texts = new Map(POLICY_FILES.map((file) => [file, readFile(file, given, faults)]));
  for (const name of given.keys()) {
    if (!policyFileNames.includes(name)) faults.push(faultAt(name, 1, '', `is none of the policy's: ${policyFileNames.join(', ')}`));
  }
  const contents: Partial<Record<PolicyFileName, unknown>> = Object.fromEntries([...texts].map(([file, text]) => [file, text?.value]));
  const policy = buildPolicy(contents, (file) => (pointer, says) => {
    faults.push(faultAt(`${file}.json`, texts.get(file)?.lineOf(pointer) ?? 1, pointer, says));
  });
  if (faults.length > 0) throw new PolicyError(inOrder(faults));
  return policy;
}

function readFile(file: PolicyFileName, given: ReadonlyMap<string, string>, faults: PolicyFault[]): JsonText | null {
  const name = `${file}.json`;
  const text = given.get(name);
  if (text === undefined) {
    faults.push(faultAt(name, 1, '', 'is missing'));
    return null;
  }
  const read = readJsonText(text);
  for (const { line, pointer, message } of read.faults) faults.push(faultAt(name, line, pointer, message));
  return read;
}

function inOrder(faults: readonly PolicyFault[]): readonly PolicyFault[] {
  return [...faults].sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : (a.line ?? 0) - (b.line ?? 0)));
}
