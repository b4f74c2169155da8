import { yieldToEventLoop, delay } from '@market-state/lifecycle';
import { type Request, type Response, Router } from 'express';
import type { middleware } from 'express-openapi-validator';
import { sortRoutes, type Spec } from 'express-openapi-validator/dist/framework/openapi.spec.loader';
import { OpenApiValidator } from 'express-openapi-validator/dist/openapi.validator';
import { type FaultItem, FAULTS_MAX } from '../errors/problem';
import { operations, type Operation } from '../openapi/operations';
import { bodyShape, type QueryShapes, queryShapes, rawQueryOf, readQuery, illFormedText } from './request-shape';
import {
  channelFaults,
  familyFaults,
  savedSearchFaults,
  searchWordFaults,
  windowFaults,
  tagFaults,
  symbolListFaults,
} from './query-faults';
import { exportBodyFaults, ruleFaults, keyPatchFaults } from './body-faults';
import { toFaultItem, type ValidatorFault, nameServed } from './validator-faults';
import type { Schema } from '../openapi/document';
import { isInstantOrEmpty } from '../meta/instant';

/**
 * The validator matches routes path by path and recompiles each pattern, about 3 us
 * (cdimascio/express-openapi-validator#1217). Each validator takes 3 ms and 0.1 MB.
 */
const PATHS_OF_ONE = 8;
/** Lets requests run in between, in milliseconds. */
const PAUSE_MS = 100;

export interface MountedValidators {
  /** Calls next with an error for an invalid request. */
  of(operation: Operation): Promise<Router>;
  /** One at a time, until the signal aborts. */
  makeAhead(signal: AbortSignal): Promise<void>;
}

/** The validator requires a body if its schema has even an empty `required`. */
function bodySchema({ required, schema }: NonNullable<Operation['body']>): Schema {
  return required ? { required: [], ...schema } : schema;
}

function requestSide({ operationId, parameters, body }: Operation): object {
  return {
    parameters: parameters
      .filter(({ name }) => name !== 'x-market-state-api-key')
      .map((parameter) => (parameter.in === 'query' ? { ...parameter, allowReserved: true } : parameter)),
    ...(body === null ? {} : { requestBody: { required: body.required, content: { 'application/json': { schema: bodySchema(body) } } } }),
    responses: { 200: { description: operationId } },
  };
}

/** The validator treats HEAD as a separate operation. */
function documentOf(paths: readonly string[]): Spec['apiDoc'] {
  const methods: Record<string, Record<string, object>> = Object.fromEntries(paths.map((path) => [path, {}]));
  for (const operation of operations) {
    const ofPath = methods[operation.path];
    if (ofPath === undefined) continue;
    ofPath[operation.method] = requestSide(operation);
    if (operation.method === 'get') ofPath['head'] = requestSide(operation);
  }
  // The validator modifies its input.
  return structuredClone({ openapi: '3.1.0', info: { title: 'requests', version: '1.0.0' }, paths: methods }) as unknown as Spec['apiDoc'];
}

/** The validator's own loader compiles the OpenAPI meta-schema first: thirty times the rest of the work. */
function specOf(paths: readonly string[]): Spec {
  const apiDoc = documentOf(paths);
  const routes = Object.entries(apiDoc.paths ?? {}).flatMap(([path, methods]) =>
    Object.keys(methods ?? {}).map((method) => ({
      basePath: '',
      expressRoute: path.replace(/\{([^}]+)\}/g, ':$1'),
      openApiRoute: path,
      method: method.toUpperCase(),
      // For handlers that read `req.params`; ours read the validated values.
      pathParams: [],
    })),
  );
  return { apiDoc, basePaths: [''], routes: routes.sort(sortRoutes), serial: 0 };
}

function makeValidator(paths: readonly string[]): Router {
  const spec = specOf(paths);
  const validator = new OpenApiValidator({
    apiSpec: spec.apiDoc,
    validateSecurity: false,
    validateResponses: false,
    fileUploader: false,
    validateRequests: { allErrors: true, allowUnknownQueryParameters: true },
    useRequestUrl: true,
    formats: { 'instant-or-empty': { type: 'string', validate: isInstantOrEmpty }, password: { type: 'string', validate: () => true } },
  });
  return Router().use(validator.installMiddleware(Promise.resolve(spec)));
}

export function createMountedValidators(): MountedValidators {
  const paths = [...new Set(operations.map(({ path }) => path))];
  const made = new Map<number, Router>();

  async function validatorOf(group: number): Promise<Router> {
    if (!made.has(group)) await yieldToEventLoop();
    const validator = made.get(group) ?? makeValidator(paths.slice(group * PATHS_OF_ONE, (group + 1) * PATHS_OF_ONE));
    made.set(group, validator);
    return validator;
  }

  return {
    of: ({ path }) => validatorOf(Math.floor(paths.indexOf(path) / PATHS_OF_ONE)),
    async makeAhead(signal) {
      for (let group = 0; group * PATHS_OF_ONE < paths.length && !signal.aborted; group += 1) {
        await validatorOf(group);
        await delay(PAUSE_MS, signal).catch(() => undefined);
      }
    },
  };
}

const LIGHT_VALUES_MAX = 100;

export interface Input {
  readonly query: Readonly<Record<string, unknown>>;
  readonly path: Readonly<Record<string, string>>;
  /** Documented headers only. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** `further` counts faults that are not listed. */
export type Validation =
  | { readonly ok: true; readonly input: Input }
  | { readonly ok: false; readonly faults: readonly FaultItem[]; readonly further: number };

interface KnownMarket {
  /** May be incomplete. */
  symbols(): readonly string[];
  /**
   * Later of the wall clock and the newest known window end of a symbol (null: any), in milliseconds since the epoch.
   */
  knownToMs(symbol: string | null): number;
}

export interface RequestValidator {
  /** If limits on query or body are exceeded, reports only that. The body must have been read. */
  validate(operation: Operation, req: Request, res: Response): Promise<Validation>;
}

type ValidatedRequest = Parameters<ReturnType<typeof middleware>[number]>[0];

function prepare(req: Request, { body }: Operation, query: Readonly<Record<string, unknown>>, rawQuery: string): void {
  // The raw target may be absolute or have a fragment.
  req.url = `${req.path}?${rawQuery}`;
  Object.defineProperty(req, 'query', { configurable: true, enumerable: true, writable: true, value: query });
  // The validator caches a compiled form per media type, which is already checked.
  if (body !== null && (body.required || req.body !== undefined)) req.headers['content-type'] = 'application/json';
  else delete req.headers['content-type'];
}

function run(validator: Router, req: Request, res: Response): Promise<unknown> {
  return new Promise((resolve) => {
    validator(req, res, resolve);
  });
}

/** `further` counts locations that are not listed. */
function faultsOf(error: unknown, req: ValidatedRequest): { readonly found: readonly FaultItem[]; readonly further: number } {
  if (error === undefined || error === null) return { found: [], further: 0 };
  const { status, errors } = error as { status?: number; errors?: readonly ValidatorFault[] };
  if (status !== 400 || errors === undefined) throw error;
  const byPath = new Map<string, ValidatorFault>();
  for (const fault of errors) if (!byPath.has(fault.path)) byPath.set(fault.path, fault);
  const listed = [...byPath.values()].slice(0, FAULTS_MAX);
  const request = { query: req.query, params: req.openapi?.pathParams, headers: req.headers, body: req.body };
  return { found: listed.map((fault) => toFaultItem(fault, request)), further: byPath.size - listed.length };
}

function symbolOf({ symbol }: Readonly<Record<string, unknown>>): string | null {
  return typeof symbol === 'string' && !symbol.includes(',') ? symbol : null;
}

function pathFaults({ openapi }: ValidatedRequest): readonly FaultItem[] {
  return Object.entries(openapi?.pathParams ?? {}).flatMap(([name, value]) => illFormedText(['path', name], value) ?? []);
}

/** Faults that schemas miss, by operation. */
const ownFaults: ReadonlyMap<string, (body: unknown, query: Readonly<Record<string, unknown>>) => readonly FaultItem[]> = new Map([
  ['updateKey', keyPatchFaults],
  ['createExportJob', exportBodyFaults],
  ['searchEvents', (_body: unknown, { q }: Readonly<Record<string, unknown>>) => searchWordFaults(q)],
  ['simulateTiers', (_body: unknown, query: Readonly<Record<string, unknown>>) => familyFaults(query)],
  ...['createSavedSearch', 'updateSavedSearch'].map((id) => [id, savedSearchFaults] as const),
  ...['createWatchlist', 'updateWatchlist', 'createAlert', 'updateAlert', 'rehearseAlerts'].map((id) => [id, ruleFaults] as const),
]);

interface OperationParts {
  readonly query: QueryShapes;
  readonly headers: readonly string[];
}

function partsOf(operation: Operation): OperationParts {
  const headers = operation.parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name.toLowerCase());
  return { query: queryShapes(operation), headers };
}

function inputOf(req: ValidatedRequest, headers: readonly string[]): Input {
  const described = headers.filter((name) => req.headers[name] !== undefined).map((name) => [name, req.headers[name]]);
  return { query: req.query, path: req.openapi?.pathParams ?? {}, headers: Object.fromEntries(described), body: req.body };
}

/** Later faults of a location are repetitive. */
function oneFaultPerField(faults: readonly FaultItem[]): FaultItem[] {
  const seen = new Set<string>();
  return faults.filter((fault) => {
    const place = JSON.stringify(fault.loc);
    if (seen.has(place)) return false;
    seen.add(place);
    return true;
  });
}

/**
 * Unknown and repeated parameters, which the validator would report first and separately, are checked before it, so
 * that all faults are reported together.
 */
export function createRequestValidator(market: KnownMarket, validators: MountedValidators): RequestValidator {
  const known = new Map(operations.map((operation) => [operation, partsOf(operation)]));

  return {
    async validate(operation, req, res) {
      const parts = known.get(operation) ?? partsOf(operation);
      const rawQuery = rawQueryOf(req.originalUrl);
      const { values, faults, isBounded } = readQuery(rawQuery, parts.query, operation.furtherQuery);
      const shape = bodyShape(req.body);
      if (!isBounded || !shape.isBounded) return { ok: false, faults: [...faults, ...shape.faults], further: 0 };
      if (shape.valueTotal > LIGHT_VALUES_MAX) await yieldToEventLoop();
      prepare(req, operation, values, rawQuery);
      const { found, further } = faultsOf(await run(await validators.of(operation), req, res), req);
      const named = found.map((fault) => nameServed(fault, market.symbols()));
      const all = oneFaultPerField([
        ...faults,
        ...pathFaults(req),
        ...channelFaults(values),
        ...symbolListFaults(operation, values).map((fault) => nameServed(fault, market.symbols())),
        ...shape.faults,
        ...named,
        ...(ownFaults.get(operation.servedAs)?.(req.body, values) ?? []),
        ...tagFaults(values),
        ...windowFaults(values, { windowMsMax: operation.windowMsMax, nowMs: market.knownToMs(symbolOf(req.query)) }),
      ]);
      return all.length > 0 ? { ok: false, faults: all, further } : { ok: true, input: inputOf(req, parts.headers) };
    },
  };
}
