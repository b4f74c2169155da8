import type { MemberRole } from '@market-state/credentials';
import type { OperationPrice } from '@market-state/pricing';
import { internal } from '@market-state/errors';
import document from '../../../openapi/openapi.json';
import type { components } from '../../../openapi/generated/operations';

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly default?: unknown;
  readonly [keyword: string]: unknown;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
  readonly [keyword: string]: unknown;
}

export type Scope = 'read' | 'export' | 'automation' | 'account';

/** Calls with a common rate limit: per tenant metered, agent and other calls; per address static and other calls. */
export type RateClass = 'metered' | 'account' | 'agent' | 'public' | 'static';

/** `delayed`: the same handler on data 600 s old. */
export type SandboxRule = 'same' | 'delayed' | 'refused';

interface Reference {
  readonly $ref: string;
}

export interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly 'x-access': { readonly requires_api_key: boolean; readonly metered: boolean };
  readonly 'x-rate-class'?: RateClass;
  readonly 'x-sandbox'?: SandboxRule;
  readonly 'x-price'?: OperationPrice;
  readonly 'x-scope'?: Scope;
  /** Default `read_only` for a read, `member` for a change. */
  readonly 'x-role'?: MemberRole;
  readonly 'x-further-query'?: boolean;
  readonly 'x-ignores-body'?: boolean;
  readonly 'x-window-max-ms'?: number;
  readonly 'x-waits'?: string;
  readonly 'x-twin-of'?: string;
  readonly deprecated?: boolean;
  /** Whole seconds UTC. */
  readonly 'x-deprecated-at'?: string;
  readonly 'x-sunset'?: string;
  readonly 'x-deprecation-link'?: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly responses?: Readonly<Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>>;
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly webhooks: Readonly<Record<string, unknown>>;
  readonly components: {
    readonly responses: Readonly<Record<string, object>>;
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

export const openApiDocument = document as unknown as OpenApiDocument;

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

function lookUp(document: Json, pointer: string): Json {
  let node: Json = document;
  for (const part of pointer.replace(/^#\//, '').split('/')) {
    const next: Json | undefined = (node as { readonly [key: string]: Json })[part];
    if (next === undefined) throw new Error(`nothing at ${pointer}`);
    node = next;
  }
  return node;
}

/** Resolves every `#/…` reference; they must not be circular. */
export function dereference<T>(document: unknown, node: T): T {
  function walk(value: Json): Json {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    const entries = value as { readonly [key: string]: Json };
    if (typeof entries['$ref'] === 'string') return walk(lookUp(document as Json, entries['$ref']));
    return Object.fromEntries(Object.entries(entries).map(([key, inner]) => [key, walk(inner)]));
  }
  return walk(node as Json) as T;
}

export type DescribedName = keyof components['schemas'];

export type Described<Name extends DescribedName> = components['schemas'][Name];

export type WithoutMeta<Name extends DescribedName> = Omit<Described<Name>, 'meta'>;

type WordOf<Name extends DescribedName, Field extends keyof Described<Name>> = Extract<
  Described<Name>[Field] extends readonly (infer Item)[] ? Item : Described<Name>[Field],
  string
>;

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function resolved(schema: unknown): unknown {
  const reference = memberOf(schema, '$ref');
  return typeof reference === 'string' ? openApiDocument.components.schemas[reference.slice(reference.lastIndexOf('/') + 1)] : schema;
}

/**
 * Reads an upstream value as a documented enum value.
 * @throws {Error} immediately if the document lists none; {ServiceError} INTERNAL, when read, for an unlisted value
 */
export function documentedWord<Name extends DescribedName, Field extends keyof Described<Name> & string>(
  name: Name,
  field: Field,
): (word: string) => WordOf<Name, Field> {
  const schema = resolved(memberOf(memberOf(openApiDocument.components.schemas[name], 'properties'), field));
  const word = memberOf(memberOf(schema, 'items') ?? schema, 'const');
  const listed = word === undefined ? memberOf(memberOf(schema, 'items') ?? schema, 'enum') : [word];
  if (!Array.isArray(listed)) throw new Error(`the document lists no values for ${field} of ${name}`);
  const words = new Set<unknown>(listed);
  const isListed = (word: string): word is WordOf<Name, Field> => words.has(word);
  return (word) => {
    if (!isListed(word)) throw internal({ detail: `${word} is not a listed value for ${field} of ${name}` });
    return word;
  };
}
