import type { MemberRole } from '@market-state/credentials';
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

/** docs/adr/0040 */
const NOTICE_DAYS = 180;

const DAY_MS = 86_400_000;

export interface Deprecation {
  readonly sinceMs: number;
  /** Null if no end is set. */
  readonly sunsetMs: number | null;
  /** Path of the page that describes the replacement. */
  readonly link: string;
}

type Deprecated = Pick<OperationObject, 'deprecated' | 'x-deprecated-at' | 'x-sunset' | 'x-deprecation-link'>;

/** Null unless whole seconds UTC of a valid date. */
function instantOf(text: string | undefined): number | null {
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(text)) return null;
  const ms = Date.parse(text);
  return Number.isNaN(ms) || new Date(ms).toISOString() !== text.replace('Z', '.000Z') ? null : ms;
}

export function deprecationFaults(operation: Deprecated): string[] {
  const { deprecated = false, 'x-deprecated-at': since, 'x-sunset': sunset, 'x-deprecation-link': link } = operation;
  if (!deprecated) {
    const deprecations = Object.entries({ 'x-deprecated-at': since, 'x-sunset': sunset, 'x-deprecation-link': link });
    return deprecations.flatMap(([name, value]) => (value === undefined ? [] : [`${name} requires deprecated: true on the operation`]));
  }
  const [sinceMs, sunsetMs] = [instantOf(since), instantOf(sunset)];
  const faults: string[] = [];
  if (sinceMs === null) faults.push(`x-deprecated-at must be an instant like 2027-01-31T00:00:00Z, not ${since ?? 'absent'}`);
  if (sunset !== undefined && sunsetMs === null) faults.push(`x-sunset must be an instant like 2027-07-31T00:00:00Z, not ${sunset}`);
  if (sinceMs !== null && sunsetMs !== null && sunsetMs - sinceMs < NOTICE_DAYS * DAY_MS)
    faults.push(`x-sunset must be at least ${NOTICE_DAYS} days after x-deprecated-at`);
  if (!/^\/docs\/[^\s<>"]+$/.test(link ?? '')) faults.push(`x-deprecation-link must be a path under /docs/, not ${link ?? 'absent'}`);
  return faults;
}

/**
 * @returns null if not deprecated
 * @throws {Error} lists all errors in its deprecation fields
 */
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

type Credential = 'none' | 'key' | 'key_or_session';

export interface Operation {
  readonly operationId: string;
  /** A twin is served as its original. */
  readonly servedAs: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  readonly credential: Credential;
  /** Accepts the key as `Authorization: Bearer`. */
  readonly takesBearerKey: boolean;
  readonly scope: Scope;
  /** Role that a session's account needs. */
  readonly role: MemberRole;
  readonly requiresApiKey: boolean;
  readonly metered: boolean;
  readonly price: OperationPrice | null;
  readonly rateClass: RateClass;
  readonly sandbox: SandboxRule;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly required: boolean; readonly schema: Schema } | null;
  /** Accepts a body of any media type, unread. */
  readonly ignoresBody: boolean;
  readonly furtherQuery: boolean;
  /** Longest window in milliseconds; null for any length. */
  readonly windowMsMax: number | null;
  /** Query parameter that makes a call wait, like a stream; null without one. */
  readonly waits: string | null;
  /** Server-sent events; served over WebSocket too. */
  readonly isStream: boolean;
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
    role: operation['x-role'] ?? (method === 'get' ? 'read_only' : 'member'),
    requiresApiKey: operation['x-access'].requires_api_key,
    metered: operation['x-access'].metered,
    price: operation['x-price'] ?? null,
    rateClass: operation['x-rate-class'] ?? 'public',
    sandbox: operation['x-sandbox'] ?? 'refused',
    parameters: resolved.parameters as readonly Parameter[],
    body:
      resolved.body === null ? null : { required: resolved.body.required, schema: resolved.body.content['application/json']?.schema ?? {} },
    ignoresBody: operation['x-ignores-body'] ?? false,
    furtherQuery: operation['x-further-query'] ?? false,
    windowMsMax: operation['x-window-max-ms'] ?? null,
    waits: operation['x-waits'] ?? null,
    isStream: operation.responses?.['200']?.content?.['text/event-stream'] !== undefined,
    deprecation: readDeprecation(operation),
  };
}

/**
 * Paths without parameters first.
 * @throws {Error} for incorrect deprecation fields
 */
export function operationsOf(document: OpenApiDocument): readonly Operation[] {
  return Object.entries(document.paths)
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => toOperation(path, method, operation)))
    .sort((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')));
}

/** Paths without parameters first, so that a router can match in order. */
export const operations = operationsOf(openApiDocument);

/** Without twins, which share their original's properties. */
export const originals: readonly Operation[] = operations.filter(({ operationId, servedAs }) => operationId === servedAs);

/** @throws {Error} for an unknown id */
export function operationById(operationId: string): Operation {
  const operation = operations.find((candidate) => candidate.operationId === operationId);
  if (operation === undefined) throw new Error(`the document has no operation ${operationId}`);
  return operation;
}
