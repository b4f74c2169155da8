import { Ajv2020 } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { Api } from './api';

export interface ServedParameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
}

export interface ServedOperation {
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
  readonly access: { readonly requires_api_key: boolean; readonly metered: boolean };
  readonly answersWith: 'json' | 'events' | 'text';
  /** Requires a key or a session. */
  readonly isKeyed: boolean;
  readonly parameters: readonly ServedParameter[];
}

/** Checks a body against a schema of the document. Returns a description of the fault, or null. */
export type SchemaCheck = (pointer: readonly string[], body: unknown) => string | null;

export interface ServedDocument {
  readonly operations: readonly ServedOperation[];
  readonly check: SchemaCheck;
}

interface OperationObject {
  readonly 'x-access': ServedOperation['access'];
  readonly security: readonly object[];
  readonly parameters?: readonly (ServedParameter | { readonly $ref: string })[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

export async function readDocument(api: Api): Promise<ServedDocument> {
  const { status, body } = await api.get('/openapi.json');
  if (status !== 200) throw new Error(`the OpenAPI document answers ${status}`);
  const paths = body['paths'] as Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  const shared = (body['components'] as { parameters: Readonly<Record<string, ServedParameter>> }).parameters;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => toOperation(path, method, operation, shared)),
  );
  return { operations, check: schemaCheck(body) };
}

function toOperation(
  path: string,
  method: string,
  operation: OperationObject,
  shared: Readonly<Record<string, ServedParameter>>,
): ServedOperation {
  const types = Object.keys(operation.responses['200']?.content ?? {});
  const answersWith = types.includes('text/event-stream') ? 'events' : types.every((type) => type.includes('json')) ? 'json' : 'text';
  const parameters = (operation.parameters ?? []).flatMap((parameter) =>
    '$ref' in parameter ? (shared[parameter.$ref.split('/').at(-1) ?? ''] ?? []) : parameter,
  );
  return {
    path,
    method: method.toUpperCase(),
    access: operation['x-access'],
    answersWith,
    isKeyed: operation.security.length > 0,
    parameters,
  };
}

function schemaCheck(document: object): SchemaCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true, allowUnionTypes: true });
  addFormats.default(ajv);
  ajv.addSchema(document, 'openapi');
  return (pointer, answer) => {
    const path = pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
    const validate = ajv.getSchema(`openapi#/${path}`);
    if (validate === undefined) return `the document has nothing at ${path}`;
    return validate(answer) === true ? null : ajv.errorsText(validate.errors, { dataVar: 'answer' });
  };
}

export function answerPointer({ path, method }: Pick<ServedOperation, 'path' | 'method'>): readonly string[] {
  return ['paths', path, method.toLowerCase(), 'responses', '200', 'content', 'application/json', 'schema'];
}
