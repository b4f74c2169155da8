import { faultAt, PolicyError, type PolicyFault } from './fault';
import { POLICY_FILES, policyFileNames, type PolicyFileName, REFERS_TO, SHIPPED_POLICY_FILES } from './files';
import { readJsonText, type JsonText, pointerPart } from './json-text';
import type { Policy } from './policy';
import { checkSchema } from './check-schema';
import { compilePolicy, type ReportOf } from './compile-policy';
import type { PolicyContent } from './content';

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

/**
 * Holds the files against their schemas and against each other and makes the policy of them; every fault is reported. A file that has not
 * the shape of its schema is not held against the others, nor is one that refers to it. Only without a fault is the policy to be used.
 */
function buildPolicy(files: Readonly<Partial<Record<PolicyFileName, unknown>>>, reportOf: ReportOf): Policy {
  const refused = new Set(POLICY_FILES.filter((file) => files[file] === undefined || !checkSchema(file, files[file], reportOf(file))));
  const held = (file: PolicyFileName) => !refused.has(file) && REFERS_TO[file].every((other) => !refused.has(other));
  const content = Object.fromEntries(POLICY_FILES.map((file) => [file, refused.has(file) ? SHIPPED_POLICY_FILES[file] : files[file]]));
  return compilePolicy(content as unknown as PolicyContent, (file) => (held(file) ? reportOf(file) : () => undefined));
}

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
