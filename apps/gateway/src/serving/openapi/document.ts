import type { MemberRole } from '@market-state/credentials';
import type { OperationPrice } from '@market-state/pricing';
import document from '../../../openapi/openapi.json';

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
