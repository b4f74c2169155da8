import type { NextFunction, Request, Response } from 'express';
import { middleware } from 'express-openapi-validator';
import { type FaultItem, FAULTS_MAX, oneFaultAPlace } from '../errors/fault-item';
import { operations, type Operation } from '../openapi/operations';
import { bodyShape } from './body-shape';
import { channelFaults } from './channel-faults';
import { isInstantOrEmpty } from './instant';
import { keyPatchFaults } from './key-patch-faults';
import { toFaultItem, type ValidatorFault } from './locate-fault';
import { nameServed } from './name-served';
import { ownTurn } from './own-turn';
import { type QueryShapes, queryShapes, readQuery } from './read-query';
import { windowFaults } from './window-faults';

/** Values of a body that costs a schema next to nothing. */
const LIGHT_VALUES_MAX = 100;

/** A request as received, nothing checked. */
export interface RawRequest {
  readonly rawQuery: string;
  readonly path: Readonly<Record<string, string>>;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Undefined when the request has none. */
  readonly body: unknown;
}

/** A request that keeps to the document: typed values, defaults filled in. */
export interface Input {
  readonly query: Readonly<Record<string, unknown>>;
  /** Names of the query parameters that were sent; the others have their defaults. */
  readonly sent: ReadonlySet<string>;
  readonly path: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** `further` is the number of faults beyond those that are given. */
export type Validation =
  | { readonly ok: true; readonly input: Input }
  | { readonly ok: false; readonly faults: readonly FaultItem[]; readonly further: number };

export interface RequestValidator {
  /** Every fault of the request at once, or its typed input. Beyond the limits on query and body nothing else is looked at. */
  validate(operation: Operation, request: RawRequest): Promise<Validation>;
}

/** The part of a request that the stock validator reads and completes. */
interface ValidatedParts {
  readonly method: string;
  readonly originalUrl: string;
  readonly path: string;
  readonly baseUrl: string;
  readonly app: { enabled(setting: string): boolean };
  query: Record<string, unknown>;
  params: Record<string, unknown>;
  headers: Record<string, unknown>;
  body: unknown;
  openapi?: { expressRoute: string; openApiRoute: string; pathParams: Record<string, unknown>; schema: object; serial: number };
}

type StockMiddleware = (req: Request, res: Response, next: NextFunction) => unknown;

/**
 * The document as the stock validator needs it: parameters and bodies, references followed, the credential left to the credential check.
 */
function requestSideDocument(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    (paths[operation.path] ??= {})[operation.method] = {
      parameters: operation.parameters
        .filter((parameter) => parameter.name !== 'x-market-state-api-key')
        .map((parameter) => (parameter.in === 'query' ? { ...parameter, allowReserved: true } : parameter)),
      ...(operation.body === null
        ? {}
        : { requestBody: { required: operation.body.required, content: { 'application/json': { schema: operation.body.schema } } } }),
      responses: { 200: { description: operation.operationId } },
    };
  }
  return { openapi: '3.1.0', info: { title: 'requests', version: '1.0.0' }, paths };
}

function stockMiddlewares(): { readonly metadata: StockMiddleware; readonly request: StockMiddleware } {
  const all = middleware({
    apiSpec: requestSideDocument() as Parameters<typeof middleware>[0]['apiSpec'],
    validateApiSpec: false,
    validateSecurity: false,
    validateResponses: false,
    fileUploader: false,
    validateRequests: { allErrors: true, allowUnknownQueryParameters: true },
    formats: { 'instant-or-empty': { type: 'string', validate: isInstantOrEmpty }, password: { type: 'string', validate: () => true } },
  }) as unknown as StockMiddleware[];
  const byName = (name: string): StockMiddleware => {
    const found = all.find((candidate) => candidate.name === name);
    if (found === undefined) throw new Error(`express-openapi-validator has no ${name}`);
    return found;
  };
  return { metadata: byName('metadataMiddleware'), request: byName('requestMiddleware') };
}

/** Runs one stock middleware to its end; what it hands on as an error is the result. */
function run(stock: StockMiddleware, parts: ValidatedParts): Promise<unknown> {
  return new Promise((resolve) => {
    void stock(parts as unknown as Request, {} as Response, resolve);
  });
}

function partsOf(operation: Operation, request: RawRequest, query: Record<string, unknown>): ValidatedParts {
  const headers: Record<string, unknown> = {};
  for (const parameter of operation.parameters) {
    const header = parameter.name.toLowerCase();
    if (parameter.in === 'header' && request.headers[header] !== undefined) headers[header] = request.headers[header];
  }
  // The media type is checked when the body is read; a fixed one here keeps the validator to one compiled form a route.
  if (operation.body !== null && (operation.body.required || request.body !== undefined)) headers['content-type'] = 'application/json';
  return {
    method: operation.method.toUpperCase(),
    originalUrl: `${operation.path}?${request.rawQuery}`,
    path: operation.path,
    baseUrl: '',
    app: { enabled: () => true },
    query,
    params: { ...request.path },
    headers,
    body: request.body,
  };
}

/**
 * What the stock validator found: the first fault of each place, and how many places with faults there are beyond those that are listed.
 */
function stockFaults(error: unknown, parts: ValidatedParts): { readonly found: readonly FaultItem[]; readonly further: number } {
  if (error === undefined) return { found: [], further: 0 };
  const { status, errors } = error as { status?: number; errors?: readonly ValidatorFault[] };
  if (status !== 400 || errors === undefined) throw error;
  const byPath = new Map<string, ValidatorFault>();
  for (const fault of errors) if (!byPath.has(fault.path)) byPath.set(fault.path, fault);
  const listed = [...byPath.values()].slice(0, FAULTS_MAX);
  const request = { query: parts.query, params: parts.params, headers: parts.headers, body: parts.body };
  return { found: listed.map((fault) => toFaultItem(fault, request)), further: byPath.size - listed.length };
}

/**
 * Validates requests with express-openapi-validator. Its search for the route, which compiles every path pattern anew on
 * each request (cdimascio/express-openapi-validator#1217), is done once for each operation; the router has found the
 * operation already. What it would report alone and first (unknown and repeated parameters) is found before it, so that
 * all faults are told together.
 * @param served the symbols that are served, as far as they are known
 */
export function createRequestValidator(served: () => readonly string[]): RequestValidator {
  const stock = stockMiddlewares();
  const shapes = new Map<string, QueryShapes>(operations.map((operation) => [operation.operationId, queryShapes(operation)]));
  const routes = new Map<string, Promise<NonNullable<ValidatedParts['openapi']>>>();

  async function findRoute(operation: Operation): Promise<NonNullable<ValidatedParts['openapi']>> {
    const probe = partsOf(operation, { rawQuery: '', path: {}, headers: {}, body: undefined }, {});
    const error = await run(stock.metadata, probe);
    if (error !== undefined || probe.openapi === undefined) throw new Error(`no validator for ${operation.operationId}`, { cause: error });
    return probe.openapi;
  }

  function routeOf(operation: Operation): Promise<NonNullable<ValidatedParts['openapi']>> {
    const known = routes.get(operation.operationId) ?? findRoute(operation);
    routes.set(operation.operationId, known);
    return known;
  }

  return {
    async validate(operation, request) {
      const { values, faults, isBounded } = readQuery(
        request.rawQuery,
        shapes.get(operation.operationId) ?? new Map(),
        operation.furtherQuery,
      );
      const shape = bodyShape(request.body);
      if (!isBounded || !shape.isBounded) return { ok: false, faults: [...faults, ...shape.faults], further: 0 };
      if (shape.valueTotal > LIGHT_VALUES_MAX) await ownTurn();
      const sent = new Set(Object.keys(values));
      const parts = partsOf(operation, request, values);
      parts.openapi = { ...(await routeOf(operation)), pathParams: parts.params };
      const { found, further } = stockFaults(await run(stock.request, parts), parts);
      const named = found.map((fault) => nameServed(fault, served()));
      const all = oneFaultAPlace([
        ...faults,
        ...channelFaults(values),
        ...shape.faults,
        ...named,
        ...(operation.operationId === 'updateKey' ? keyPatchFaults(request.body) : []),
        ...windowFaults(values, operation.windowMsMax),
      ]);
      if (all.length > 0) return { ok: false, faults: all, further };
      return {
        ok: true,
        input: { query: parts.query, sent, path: parts.params as Record<string, string>, headers: parts.headers, body: parts.body },
      };
    },
  };
}
