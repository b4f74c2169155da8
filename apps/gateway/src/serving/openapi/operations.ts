import type { OperationPrice } from '@market-state/pricing';
import {
  dereference,
  type OpenApiDocument,
  openApiDocument,
  type OperationObject,
  type Parameter,
  type RateClass,
  type SandboxRule,
  type Schema,
  type Scope,
} from './document';

/** A deprecated operation answers for so many days at least (docs/adr/0040). */
const NOTICE_DAYS = 180;

const DAY_MS = 86_400_000;

/** What callers of a deprecated operation are told, and until when it answers. */
export interface Deprecation {
  /** Milliseconds since the epoch. */
  readonly sinceMs: number;
  /** It answers until then at least; null: no end is decided. Milliseconds since the epoch. */
  readonly sunsetMs: number | null;
  /** Page that says what to use in its place: a path of this service. */
  readonly link: string;
}

type Deprecated = Pick<OperationObject, 'deprecated' | 'x-deprecated-at' | 'x-sunset' | 'x-deprecation-link'>;

/** Whole seconds UTC of a day that there is; null for any other text. */
function instantOf(text: string | undefined): number | null {
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(text)) return null;
  const ms = Date.parse(text);
  return Number.isNaN(ms) || new Date(ms).toISOString() !== text.replace('Z', '.000Z') ? null : ms;
}

/** What is wrong with what an operation says of its deprecation: a sentence for each fault. */
export function deprecationFaults(operation: Deprecated): string[] {
  const { deprecated = false, 'x-deprecated-at': since, 'x-sunset': sunset, 'x-deprecation-link': link } = operation;
  if (!deprecated) {
    const told = Object.entries({ 'x-deprecated-at': since, 'x-sunset': sunset, 'x-deprecation-link': link });
    return told.flatMap(([name, value]) => (value === undefined ? [] : [`${name} is of a deprecated operation: add deprecated: true`]));
  }
  const [sinceMs, sunsetMs] = [instantOf(since), instantOf(sunset)];
  const faults: string[] = [];
  if (sinceMs === null) faults.push(`x-deprecated-at must be an instant like 2027-01-31T00:00:00Z, not ${since ?? 'absent'}`);
  if (sunset !== undefined && sunsetMs === null) faults.push(`x-sunset must be an instant like 2027-07-31T00:00:00Z, not ${sunset}`);
  if (sinceMs !== null && sunsetMs !== null && sunsetMs - sinceMs < NOTICE_DAYS * DAY_MS)
    faults.push(`x-sunset must lie ${NOTICE_DAYS} days or more after x-deprecated-at`);
  if (!/^\/docs\/[^\s<>"]+$/.test(link ?? '')) faults.push(`x-deprecation-link must be a path under /docs/, not ${link ?? 'absent'}`);
  return faults;
}

/** @returns null for an operation that is not deprecated @throws Error naming every fault of what it says */
export function readDeprecation(operation: Deprecated): Deprecation | null {
  const faults = deprecationFaults(operation);
  if (faults.length > 0) throw new Error(faults.join('; '));
  if (operation.deprecated !== true) return null;
  return {
    sinceMs: instantOf(operation['x-deprecated-at']) ?? 0,
    sunsetMs: instantOf(operation['x-sunset']),
    link: operation['x-deprecation-link'] ?? '',
  };
}

/** Which credentials open a route. */
type Credential = 'none' | 'key' | 'key_or_session';

/** One operation of the document, with its references followed. */
export interface Operation {
  readonly operationId: string;
  /** The operation whose handler serves it: itself, or of a twin its original. */
  readonly servedAs: string;
  /** Lower case. */
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** As the document spells it, parameters in braces. */
  readonly path: string;
  /** A few words on what it is. */
  readonly summary: string;
  readonly description: string;
  /** The group that the document puts it in. */
  readonly tag: string;
  readonly credential: Credential;
  /** Whether the key may come as `Authorization: Bearer` too. */
  readonly takesBearerKey: boolean;
  readonly scope: Scope;
  readonly requiresApiKey: boolean;
  readonly metered: boolean;
  /** Null for one that is not metered. */
  readonly price: OperationPrice | null;
  readonly rateClass: RateClass;
  readonly sandbox: SandboxRule;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly required: boolean; readonly schema: Schema } | null;
  /** Query parameters beyond those listed are let through. */
  readonly furtherQuery: boolean;
  /** Longest window between its two instants, milliseconds; null where any length will do. */
  readonly windowMsMax: number | null;
  /** The query parameter that lets a call wait, and then count as a stream; null where none does. */
  readonly waits: string | null;
  /** Null for one that is not deprecated. */
  readonly deprecation: Deprecation | null;
}

function credentialOf(security: OperationObject['security']): Credential {
  if (security.length === 0) return 'none';
  return security.some((scheme) => 'MarketStateAccountSession' in scheme) ? 'key_or_session' : 'key';
}

function toOperation(path: string, method: string, operation: OperationObject): Operation {
  const resolved = dereference(openApiDocument, { parameters: operation.parameters ?? [], body: operation.requestBody ?? null });
  return {
    operationId: operation.operationId,
    servedAs: operation['x-twin-of'] ?? operation.operationId,
    method: method as Operation['method'],
    path,
    summary: operation.summary,
    description: operation.description,
    tag: operation.tags[0] ?? '',
    credential: credentialOf(operation.security),
    takesBearerKey: operation.security.some((scheme) => 'MarketStateBearerKey' in scheme),
    scope: operation['x-scope'] ?? 'read',
    requiresApiKey: operation['x-access'].requires_api_key,
    metered: operation['x-access'].metered,
    price: operation['x-price'] ?? null,
    rateClass: operation['x-rate-class'] ?? 'public',
    sandbox: operation['x-sandbox'] ?? 'refused',
    parameters: resolved.parameters as readonly Parameter[],
    body:
      resolved.body === null ? null : { required: resolved.body.required, schema: resolved.body.content['application/json']?.schema ?? {} },
    furtherQuery: operation['x-further-query'] ?? false,
    windowMsMax: operation['x-window-max-ms'] ?? null,
    waits: operation['x-waits'] ?? null,
    deprecation: readDeprecation(operation),
  };
}

/** Every operation of a document, paths without parameters before those with. @throws Error for one whose deprecation is not told well */
export function operationsOf(document: OpenApiDocument): readonly Operation[] {
  return Object.entries(document.paths)
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => toOperation(path, method, operation)))
    .sort((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')));
}

/** Every operation of the document, paths without parameters before those with, so that a router can take them in order. */
export const operations = operationsOf(openApiDocument);

/** Every operation but twins: what is said of one is said of its twin. */
export const originals: readonly Operation[] = operations.filter(({ operationId, servedAs }) => operationId === servedAs);

/** The operation with this id; throws when the document has none. */
export function operationById(operationId: string): Operation {
  const operation = operations.find((candidate) => candidate.operationId === operationId);
  if (operation === undefined) throw new Error(`the document has no operation ${operationId}`);
  return operation;
}
