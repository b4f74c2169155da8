import type { OperationPrice } from '@market-state/pricing';
import { readJson } from '../site/page';

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

export interface Example {
  readonly $ref?: string;
  readonly summary?: string;
  readonly value?: unknown;
}

export interface Content {
  readonly schema?: Schema;
  readonly examples?: Readonly<Record<string, Example>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required?: boolean;
  readonly description: string;
  readonly schema: Schema;
}

export interface Answer {
  readonly description: string;
  readonly content?: Readonly<Record<string, Content>>;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Answer | { readonly $ref: string }>>;
  readonly 'x-access': { readonly requires_api_key: boolean; readonly metered: boolean };
  readonly 'x-rate-class'?: string;
  readonly 'x-sandbox'?: string;
  readonly 'x-scope'?: string;
  readonly 'x-role'?: string;
  readonly 'x-twin-of'?: string;
  readonly 'x-price'?: OperationPrice;
  readonly deprecated?: boolean;
  readonly 'x-deprecated-at'?: string;
  readonly 'x-sunset'?: string;
  readonly 'x-deprecation-link'?: string;
}

export interface NamedOperation extends Operation {
  readonly method: string;
  readonly route: string;
}

interface Document {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
}

export const openApi = readJson<Document>('apps/gateway/openapi/openapi.json');

export const operations: readonly NamedOperation[] = Object.entries(openApi.paths).flatMap(([route, methods]) =>
  Object.entries(methods)
    .filter(([, operation]) => operation['x-twin-of'] === undefined)
    .map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), route })),
);

/** Resolves a reference of the document. @throws Error if it is invalid */
export function resolve<Part extends object>(part: Part | { readonly $ref: string }): Part {
  if (!('$ref' in part) || typeof part.$ref !== 'string') return part as Part;
  let found: unknown = openApi;
  for (const name of part.$ref.replace(/^#\//, '').split('/')) found = (found as Record<string, unknown> | undefined)?.[name];
  if (found === undefined) throw new Error(`The OpenAPI document has no ${part.$ref}.`);
  return resolve(found as Part);
}
