import Ajv, { type ErrorObject, type ValidateFunction } from 'ajv';
import type { PolicyContent } from './content';
import { PolicyError, type PolicyFault } from './fault';
import { POLICY_FILE_NAMES, type PolicyFileName, type PolicyFiles } from './files';
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

/** The files, typed, when every schema accepts its file. @throws PolicyError with every fault of every file. */
export function checkSchemas(files: PolicyFiles): PolicyContent {
  validators ??= compileSchemas();
  const faults: PolicyFault[] = [];
  for (const file of POLICY_FILE_NAMES) {
    const validate = validators[file];
    if (!validate(files[file])) faults.push(...deepest(validate.errors ?? []).map((error) => toFault(file, error)));
  }
  if (faults.length > 0) throw new PolicyError(faults);
  return files as PolicyContent;
}

function compileSchemas(): Readonly<Record<PolicyFileName, ValidateFunction>> {
  const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true, schemas: [conditionSchema] });
  const compiled = POLICY_FILE_NAMES.map((file) => [file, ajv.compile(POLICY_SCHEMAS[file])] as const);
  return Object.fromEntries(compiled) as Record<PolicyFileName, ValidateFunction>;
}

/** A choice that fails reports each of its branches: only what failed furthest inside tells where the fault is. */
function deepest(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  return errors.filter((error) => !errors.some((other) => other.instancePath.startsWith(`${error.instancePath}/`)));
}

function toFault(file: PolicyFileName, error: ErrorObject): PolicyFault {
  const detail = error.keyword === 'additionalProperties' ? ` "${String(error.params.additionalProperty)}"` : '';
  return { file, path: error.instancePath, message: `${error.message ?? error.keyword}${detail}` };
}
