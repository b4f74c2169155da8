import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import { dereference, openApiDocument } from '../../src/serving/openapi/document';
import { type Operation, operations } from '../../src/serving/openapi/operations';
import type { RawRequest, RawResponse } from './http-client';

const JSON_TYPE = 'application/json';

// Code optimization costs more than it saves in a test run.
const ajv = new Ajv2020({ strict: false, allErrors: true, allowUnionTypes: true, formats: { password: true }, code: { optimize: false } });
const checks = new Map<Operation, ValidateFunction>();

const PATTERNS = operations.map(
  (operation) => [new RegExp(`^${operation.path.replace(/[.]/g, '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`), operation] as const,
);

function operationOf(path: string, method: string): Operation | undefined {
  const [bare = ''] = path.split('?', 1);
  return PATTERNS.find(([pattern, operation]) => operation.method === method.toLowerCase() && pattern.test(bare))?.[1];
}

/** JSON schema of an operation's 200; undefined without one. */
function answerSchemaOf({ path, method }: Operation): unknown {
  return openApiDocument.paths[path]?.[method]?.responses?.['200']?.content?.[JSON_TYPE]?.schema;
}

/** Operations with JSON answers. */
export const JSON_OPERATIONS = operations.filter((operation) => answerSchemaOf(operation) !== undefined);

/** Copies a schema and forbids undescribed fields; an object that describes none may have any. */
function closed(schema: unknown, isPart = false): unknown {
  if (Array.isArray(schema)) return schema.map((part) => closed(part, isPart));
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, closed(part, key === 'allOf')]));
  if ('allOf' in schema) return { ...copy, unevaluatedProperties: false };
  const isOpen = !('additionalProperties' in schema) || schema.additionalProperties === true;
  return 'properties' in schema && isOpen && !isPart ? { ...copy, additionalProperties: false } : withoutOpenness(copy, isPart);
}

/** Parts of one object are closed together: separately, each would refuse the others' fields. */
function withoutOpenness(schema: object, isPart: boolean): object {
  return isPart ? Object.fromEntries(Object.entries(schema).filter(([key]) => key !== 'additionalProperties')) : schema;
}

function checkOf(operation: Operation): ValidateFunction {
  const known = checks.get(operation);
  if (known !== undefined) return known;
  const made = ajv.compile(closed(dereference(openApiDocument, answerSchemaOf(operation))) as object);
  checks.set(operation, made);
  return made;
}

/** Checks a JSON 200 against the document, including undescribed fields; null if correct, and for other answers. */
export function answerFault(path: string, { method = 'GET' }: RawRequest, response: RawResponse): string | null {
  const { status, headers, bytes } = response;
  const isPlain = headers['content-encoding'] === undefined && bytes.length > 0;
  if (status !== 200 || !isPlain || headers['content-type']?.toString().startsWith(JSON_TYPE) !== true) return null;
  const operation = operationOf(path, method);
  if (operation === undefined || answerSchemaOf(operation) === undefined) return null;
  const check = checkOf(operation);
  if (check(JSON.parse(response.text))) return null;
  const faults = (check.errors ?? []).map(
    ({ instancePath, message = '', params }) => `${instancePath.replace(/\/\d+(?=\/|$)/g, '/*')} ${message} ${JSON.stringify(params)}`,
  );
  return `${operation.operationId} does not match the document:\n${[...new Set(faults)].slice(0, 200).join('\n')}`;
}
