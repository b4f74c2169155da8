import Ajv, { type ErrorObject, type ValidateFunction } from 'ajv';
import type { Report } from './fault';
import type { PolicyFileName } from './files';
import { POLICY_FILES } from './files';
import { pointerPart } from './json-text';
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

/** JSON Schema (draft 07) of each policy file. */
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

/** Faults that leave the file's shape as it must be: the other checks can still read it. */
const SHAPELY: ReadonlySet<string> = new Set([
  'additionalProperties',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'uniqueItems',
  'pattern',
]);

/**
 * Reports every unknown key, wrong type, missing key and impossible value. Returns whether the file has the shape that other checks read.
 */
export function checkSchema(file: PolicyFileName, content: unknown, report: Report): boolean {
  validators ??= compileSchemas();
  const validate = validators[file];
  if (validate(content)) return true;
  const errors = (validate.errors ?? []).filter(tells);
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

/** A branch or a name that fails says what failed inside it in an error of its own. */
function tells({ keyword }: ErrorObject): boolean {
  return keyword !== 'if' && keyword !== 'propertyNames';
}

/** Where an error stands, as a JSON pointer, and what is to be said there. */
function explain(error: ErrorObject): readonly [string, string] {
  const { instancePath: at, keyword, params } = error;
  if (keyword === 'additionalProperties') return [`${at}/${pointerPart(String(params.additionalProperty))}`, 'is not a known key'];
  if (keyword === 'required') return [at, `lacks "${String(params.missingProperty)}"`];
  if (keyword === 'uniqueItems') return [`${at}/${Math.max(Number(params.i), Number(params.j))}`, 'stands twice'];
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
