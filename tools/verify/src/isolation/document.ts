import { callOnce } from '@market-state/testing';

/** Request of an operation, as the served document describes it. */
export interface DocumentedOperation {
  readonly operationId: string;
  /** Upper case. */
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
  readonly queryNames: readonly string[];
  readonly textFields: readonly string[];
  /** True if it needs no credential. */
  readonly isPublic: boolean;
  /** True if the answer is an endless event stream. */
  readonly isStream: boolean;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
}

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
}

interface Operation {
  readonly operationId: string;
  readonly 'x-twin-of'?: string;
  readonly security: readonly object[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema | Reference }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

interface Reference {
  readonly $ref: string;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Returns every operation that a gateway serves, except twins. */
export async function readOperations(url: string): Promise<DocumentedOperation[]> {
  const document = JSON.parse((await callOnce(`${url}/openapi.json`))?.text ?? '') as Document;
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation['x-twin-of'] === undefined)
      .map(([method, operation]) => toOperation(document, path, method, operation)),
  );
}

function toOperation(document: Document, path: string, method: string, operation: Operation): DocumentedOperation {
  const parameters = (operation.parameters ?? []).map((parameter) => resolve<Parameter>(document, parameter));
  const schema = operation.requestBody?.content['application/json']?.schema;
  return {
    operationId: operation.operationId,
    method: method.toUpperCase(),
    path,
    queryNames: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
    textFields: schema === undefined ? [] : Object.keys(resolve<Schema>(document, schema).properties ?? {}),
    isPublic: operation.security.length === 0,
    isStream: operation.responses['200']?.content?.['text/event-stream'] !== undefined,
  };
}

function resolve<T extends object>(document: Document, value: T | Reference): T {
  if (!('$ref' in value)) return value;
  const found = value.$ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document);
  return resolve(document, found as T | Reference);
}
