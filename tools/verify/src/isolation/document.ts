import { callOnce } from '@market-state/testing';

export const FROM = '127.0.0.2';

/** Request with an odd text in one field. `path` and `body` are sent unchanged. */
export interface OddRequest {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
}

const ODD_TEXTS = [
  { inUrl: '%00', inJson: '\\u0000' },
  { inUrl: 'a%00b', inJson: 'a\\u0000b' },
  // A lone surrogate, which UTF-8 can't represent.
  { inUrl: '%ED%A0%80', inJson: '\\ud800' },
  { inUrl: '%ff%fe', inJson: '\\udfff\\ud800' },
  { inUrl: 'x'.repeat(10_000), inJson: 'x'.repeat(10_000) },
  { inUrl: '%F0%9F%A6%86%E2%80%AE%C2%A0', inJson: '\\ud83e\\udd86\\u202e\\u00a0' },
  { inUrl: '%27%3B--%25s%24%7Bx%7D..%2F..%2F', inJson: "';--%s${x}../../" },
  { inUrl: '-1e309', inJson: '-1e309' },
] as const;

export function oddRequests(operation: DocumentedOperation): OddRequest[] {
  const { operationId, method, path, queryNames, textFields } = operation;
  const plainPath = path.replace(/\{[^}]+\}/g, 'some-id');
  return ODD_TEXTS.flatMap(({ inUrl, inJson }) => [
    ...[...path.matchAll(/\{[^}]+\}/g)].map(([name]) => ({
      operationId,
      method,
      path: path.replace(name, inUrl).replace(/\{[^}]+\}/g, 'some-id'),
      body: method === 'GET' ? undefined : '{}',
    })),
    ...queryNames.map((name) => ({
      operationId,
      method,
      path: `${plainPath}?${name}=${inUrl}`,
      body: method === 'GET' ? undefined : '{}',
    })),
    ...textFields.flatMap((name) =>
      [`"${inJson}"`, `["${inJson}"]`, `{"${inJson}":"${inJson}"}`].map((value) => ({
        operationId,
        method,
        path: plainPath,
        body: `{"${name}":${value}}`,
      })),
    ),
  ]);
}

/** @returns the status, 0 without an answer, and a sentence for the report */
export async function sendOdd(url: string, key: string, { operationId, method, path, body }: OddRequest) {
  const answer = await callOnce(`${url}${path}`, { key, method, from: FROM, ...(body === undefined ? {} : { text: body }) });
  const [status, text] = [answer?.status ?? 0, answer?.text ?? ''];
  return {
    status,
    sentence: `${operationId} ${path.slice(0, 120)} ${body?.slice(0, 60) ?? ''} answered ${status}: ${text.slice(0, 160)}`,
  };
}

export interface DocumentedOperation {
  readonly operationId: string;
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
  readonly queryNames: readonly string[];
  readonly textFields: readonly string[];
  readonly isPublic: boolean;
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
