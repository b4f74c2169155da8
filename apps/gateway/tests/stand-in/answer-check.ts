import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import { dereference, openApiDocument } from '../../src/serving/openapi/document';
import { type Operation, operations } from '../../src/serving/openapi/operations';
import type { RawRequest, RawResponse } from './http-client';

const JSON_TYPE = 'application/json';

// Shortening the code of a check takes longer than the checks of a test run save by it.
const ajv = new Ajv2020({ strict: false, allErrors: true, allowUnionTypes: true, formats: { password: true }, code: { optimize: false } });
const checks = new Map<Operation, ValidateFunction>();

const PATTERNS = operations.map(
  (operation) => [new RegExp(`^${operation.path.replace(/[.]/g, '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`), operation] as const,
);

/** The operation that serves a request; undefined where none does. */
function operationOf(path: string, method: string): Operation | undefined {
  const [bare = ''] = path.split('?', 1);
  return PATTERNS.find(([pattern, operation]) => operation.method === method.toLowerCase() && pattern.test(bare))?.[1];
}

/** The schema of an operation's 200 in JSON; undefined where it has none. */
function answerSchemaOf({ path, method }: Operation): unknown {
  return openApiDocument.paths[path]?.[method]?.responses?.['200']?.content?.[JSON_TYPE]?.schema;
}

/** Operations that answer with JSON. */
export const JSON_OPERATIONS = operations.filter((operation) => answerSchemaOf(operation) !== undefined);

/** A copy of a schema in which an object has no fields but those described; one that describes none may have any. */
function closed(schema: unknown, isPart = false): unknown {
  if (Array.isArray(schema)) return schema.map((part) => closed(part, isPart));
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, closed(part, key === 'allOf')]));
  if ('allOf' in schema) return { ...copy, unevaluatedProperties: false };
  const isOpen = !('additionalProperties' in schema) || schema.additionalProperties === true;
  return 'properties' in schema && isOpen && !isPart ? { ...copy, additionalProperties: false } : withoutOpenness(copy, isPart);
}

/** Parts of one object are closed together: alone each would refuse the fields of the others. */
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

/**
 * What is wrong with a 200 in JSON by the document, a field that is not described among it; null when nothing is, and for every other
 * answer.
 */
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
  return `${operation.operationId} does not keep to the document:\n${[...new Set(faults)].slice(0, 200).join('\n')}`;
}
