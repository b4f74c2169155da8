import Ajv, { type ErrorObject, type ValidateFunction } from 'ajv';
import { LineCounter, parseDocument, type CST } from 'yaml';
import {
  faultAt,
  PolicyError,
  type PolicyFault,
  type Report,
  POLICY_FILES,
  policyFileNames,
  type PolicyFileName,
  REFERS_TO,
  SHIPPED_POLICY_FILES,
} from './files';
import { type Policy, compilePolicy, type ReportOf } from './policy';
import type { PolicyContent } from './content';
import conditionSchema from './schemas/condition.schema.json';
import factsSchema from './schemas/facts.schema.json';
import guidanceSchema from './schemas/guidance.schema.json';
import lanesSchema from './schemas/lanes.schema.json';
import numbersSchema from './schemas/numbers.schema.json';
import reasonsSchema from './schemas/reasons.schema.json';
import routesSchema from './schemas/routes.schema.json';
import tagsSchema from './schemas/tags.schema.json';
import taxonomySchema from './schemas/taxonomy.schema.json';
import textsSchema from './schemas/texts.schema.json';
import versionsSchema from './schemas/versions.schema.json';

export const POLICY_SCHEMAS: Readonly<Record<PolicyFileName, object>> = {
  facts: factsSchema,
  guidance: guidanceSchema,
  lanes: lanesSchema,
  numbers: numbersSchema,
  reasons: reasonsSchema,
  routes: routesSchema,
  tags: tagsSchema,
  taxonomy: taxonomySchema,
  texts: textsSchema,
  versions: versionsSchema,
};

let validators: Readonly<Record<PolicyFileName, ValidateFunction>> | undefined;

/** Faults that leave the file readable for the other checks. */
const SHAPELY: ReadonlySet<string> = new Set([
  'additionalProperties',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'uniqueItems',
  'pattern',
]);

function checkSchema(file: PolicyFileName, content: unknown, report: Report): boolean {
  validators ??= compileSchemas();
  const validate = validators[file];
  if (validate(content)) return true;
  const errors = (validate.errors ?? []).filter(isReported);
  const said = new Set<string>();
  for (const error of errors) {
    const [pointer, says] = explain(error);
    if (!said.has(`${pointer} ${says}`)) report(pointer, says);
    said.add(`${pointer} ${says}`);
  }
  return errors.every(({ keyword }) => SHAPELY.has(keyword));
}

function compileSchemas(): Readonly<Record<PolicyFileName, ValidateFunction>> {
  const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true, verbose: true, schemas: [conditionSchema] });
  const compiled = POLICY_FILES.map((file) => [file, ajv.compile(POLICY_SCHEMAS[file])] as const);
  return Object.fromEntries(compiled) as Record<PolicyFileName, ValidateFunction>;
}

/** A failing branch or name reports the inner error separately. */
function isReported({ keyword }: ErrorObject): boolean {
  return keyword !== 'if' && keyword !== 'propertyNames';
}

interface JsonText {
  /** Result of `JSON.parse`; undefined if the text is not JSON. */
  readonly value: unknown;
  /** 1-based line of a JSON pointer's name or element, or of its nearest existing parent. */
  readonly lineOf: (pointer: string) => number;
  readonly faults: readonly JsonFault[];
}

interface JsonFault {
  readonly line: number;
  readonly pointer: string;
  readonly message: string;
}

interface Positions {
  readonly lines: ReadonlyMap<string, number>;
  readonly faults: readonly JsonFault[];
}

interface Walk {
  readonly report: (offset: number, pointer: string, message: string) => void;
  readonly place: (offset: number, pointer: string) => void;
}

/** Separator tokens that JSON shares with YAML; comments, anchors and tags are faults. */
const SEPARATORS: ReadonlySet<string> = new Set(['space', 'newline', 'comma', 'map-value-ind']);

/**
 * Parses JSON (RFC 8259). Positions come from a YAML parser, run only if there is a fault; everything YAML allows
 * beyond JSON is a fault.
 */
export function readJsonText(text: string): JsonText {
  let positions: Positions | undefined;
  const read = () => (positions ??= readPositions(text));
  const value = parsed(text);
  const sound = value !== undefined && nameTotal(text) === memberTotal(value);
  return { value, lineOf: (pointer) => lineOf(read().lines, pointer), faults: sound ? [] : read().faults };
}

function nameTotal(text: string): number {
  let total = 0;
  for (const [, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)) if (colon !== undefined) total++;
  return total;
}

function memberTotal(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value).reduce<number>((total, member) => total + memberTotal(member), 0);
  return Array.isArray(value) ? inner : inner + Object.keys(value).length;
}

function readPositions(text: string): Positions {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, schema: 'json', keepSourceTokens: true, prettyErrors: false, uniqueKeys: false });
  const lineAt = (offset: number) => Math.max(1, lineCounter.linePos(offset).line);
  const faults: JsonFault[] = document.errors.map((error) => ({
    line: lineAt(error.pos[0]),
    pointer: '',
    message: `is not JSON: ${error.message}`,
  }));
  const lines = new Map([['', 1]]);
  const token = document.contents?.srcToken;
  if (faults.length === 0 && token !== undefined) {
    walk(token, '', {
      report: (offset, pointer, message) => faults.push({ line: lineAt(offset), pointer, message }),
      place: (offset, pointer) => lines.set(pointer, lineAt(offset)),
    });
  }
  if (faults.length === 0) faults.push({ line: 1, pointer: '', message: 'is not JSON' });
  return { lines, faults: onePerLine(faults) };
}

/** Escapes a member's name for a JSON pointer (RFC 6901). */
function pointerPart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function walk(token: CST.Token, pointer: string, into: Walk): void {
  if (token.type === 'flow-collection') return walkCollection(token, pointer, into);
  const scalar = token.type === 'scalar' || token.type === 'double-quoted-scalar';
  if (!scalar || parsed(token.source) === undefined) into.report(token.offset, pointer, 'is not a JSON value');
}

function walkCollection({ items, start, offset }: CST.FlowCollection, pointer: string, into: Walk): void {
  const isMap = start.type === 'flow-map-start';
  const names = new Set<string>();
  items.forEach((item, index) => {
    const { key, value } = item;
    const stray = [...item.start, ...(item.sep ?? [])].find((separator) => !SEPARATORS.has(separator.type));
    if (stray !== undefined) into.report(stray.offset, pointer, `contains ${JSON.stringify(stray.source)}, which is not JSON`);
    if (!key && !value) {
      const comma = item.start.find((separator) => separator.type === 'comma');
      if (comma !== undefined) into.report(comma.offset, pointer, 'has a comma with nothing after it');
      return;
    }
    const at = key?.offset ?? value?.offset ?? offset;
    const name = isMap ? (key?.type === 'double-quoted-scalar' ? parsed(key.source) : undefined) : String(index);
    if (typeof name !== 'string' || !value || (!isMap && key))
      return into.report(at, pointer, 'is not JSON: a member is "name": value, an element a value');
    const inner = `${pointer}/${pointerPart(name)}`;
    if (names.has(name)) into.report(at, inner, 'appears twice');
    names.add(name);
    into.place(at, inner);
    walk(value, inner, into);
  });
}

function lineOf(lines: ReadonlyMap<string, number>, pointer: string): number {
  const line = lines.get(pointer);
  return line ?? lineOf(lines, pointer.slice(0, Math.max(0, pointer.lastIndexOf('/'))));
}

/** The parser reports follow-up errors on the same line: only the first is useful. */
function onePerLine(faults: readonly JsonFault[]): readonly JsonFault[] {
  return faults.filter((fault, i) => faults.findIndex((other) => other.line === fault.line && other.pointer === fault.pointer) === i);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function explain(error: ErrorObject): readonly [string, string] {
  const { instancePath: at, keyword, params } = error;
  if (keyword === 'additionalProperties') return [`${at}/${pointerPart(String(params.additionalProperty))}`, 'is not a known key'];
  if (keyword === 'required') return [at, `lacks "${String(params.missingProperty)}"`];
  if (keyword === 'uniqueItems') return [`${at}/${Math.max(Number(params.i), Number(params.j))}`, 'appears twice'];
  if (error.propertyName !== undefined)
    return [`${at}/${pointerPart(error.propertyName)}`, 'is not a name of lower-case letters, digits and underscores'];
  return [at, `${valueOf(error.data)}${explainValue(error)}`];
}

function explainValue({ keyword, params, message }: ErrorObject): string {
  if (keyword === 'enum') return `is not one of ${(params.allowedValues as readonly unknown[]).join(', ')}`;
  if (keyword === 'const') return `must be ${JSON.stringify(params.allowedValue)}`;
  return message ?? `breaks the rule "${keyword}"`;
}

function valueOf(data: unknown): string {
  return typeof data === 'object' && data !== null ? '' : `(${JSON.stringify(data)}) `;
}

/**
 * Parses a policy from one JSON document of the ten files, as published by `labeling-policy`. Faults refer to it by
 * `name`.
 * @throws PolicyError with every fault and its line in the document
 */
export function parsePolicyDocument(name: string, text: string): Policy {
  const read = readJsonText(text);
  const faults: PolicyFault[] = read.faults.map(({ line, pointer, message }) => faultAt(name, line, pointer, message));
  const report = (pointer: string, says: string): void => void faults.push(faultAt(name, read.lineOf(pointer), pointer, says));
  if (faults.length > 0) throw new PolicyError(faults);
  if (!isObject(read.value)) throw new PolicyError([faultAt(name, 1, '', 'is not an object of policy files')]);
  for (const file of Object.keys(read.value)) {
    if (!(POLICY_FILES as readonly string[]).includes(file)) report(`/${pointerPart(file)}`, `is not one of ${POLICY_FILES.join(', ')}`);
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
 * A file that violates its schema is not checked against others, nor is one that refers to it. Use the policy only if
 * nothing was reported.
 */
function buildPolicy(files: Readonly<Partial<Record<PolicyFileName, unknown>>>, reportOf: ReportOf): Policy {
  const refused = new Set(POLICY_FILES.filter((file) => files[file] === undefined || !checkSchema(file, files[file], reportOf(file))));
  const held = (file: PolicyFileName) => !refused.has(file) && REFERS_TO[file].every((other) => !refused.has(other));
  const content = Object.fromEntries(POLICY_FILES.map((file) => [file, refused.has(file) ? SHIPPED_POLICY_FILES[file] : files[file]]));
  return compilePolicy(content as unknown as PolicyContent, (file) => (held(file) ? reportOf(file) : () => undefined));
}

/**
 * Parses the ten policy files, given as JSON text by file name (`numbers.json`). The digest covers content, not
 * formatting or member order.
 * @throws PolicyError with every fault, each with file and line
 */
export function parsePolicy(files: ReadonlyMap<string, string> | Readonly<Record<string, string>>): Policy {
  const given = files instanceof Map ? new Map<string, string>(files) : new Map(Object.entries(files));
  const faults: PolicyFault[] = [];
  const texts = new Map(POLICY_FILES.map((file) => [file, readFile(file, given, faults)]));
  for (const name of given.keys()) {
    if (!policyFileNames.includes(name)) faults.push(faultAt(name, 1, '', `is not a policy file; they are ${policyFileNames.join(', ')}`));
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
