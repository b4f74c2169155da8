import type { Request, Response, Router } from 'express';
import type { middleware } from 'express-openapi-validator';
import { type FaultItem, FAULTS_MAX, oneFaultAPlace } from '../errors/fault-item';
import { operations, type Operation } from '../openapi/operations';
import { bodyShape } from './body-shape';
import { channelFaults } from './channel-faults';
import { exportBodyFaults } from './export-faults';
import { illFormedText } from './ill-formed-text';
import { keyPatchFaults } from './key-patch-faults';
import { toFaultItem, type ValidatorFault } from './locate-fault';
import type { MountedValidators } from './mounted-validators';
import { nameServed } from './name-served';
import { ownTurn } from '@market-state/lifecycle';
import { type QueryShapes, queryShapes, rawQueryOf, readQuery } from './read-query';
import { familyFaults } from './family-faults';
import { ruleFaults } from './rule-faults';
import { savedSearchFaults, searchWordFaults } from './search-faults';
import { symbolListFaults } from './symbol-list-faults';
import { tagFaults } from './tag-faults';
import { windowFaults } from './window-faults';

/** Values of a body that costs a schema next to nothing. */
const LIGHT_VALUES_MAX = 100;

/** A request that keeps to the document: typed values, defaults filled in. */
export interface Input {
  readonly query: Readonly<Record<string, unknown>>;
  readonly path: Readonly<Record<string, string>>;
  /** Those that the operation describes. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** `further` is the number of faults beyond those that are given. */
export type Validation =
  | { readonly ok: true; readonly input: Input }
  | { readonly ok: false; readonly faults: readonly FaultItem[]; readonly further: number };

/** What of the market a request is judged by. */
export interface KnownMarket {
  /** The symbols that are served, as far as they are known. */
  symbols(): readonly string[];
  /** The later of the wall clock and the end of the newest window known of a symbol (null: of any), milliseconds since the epoch. */
  knownToMs(symbol: string | null): number;
}

export interface RequestValidator {
  /**
   * Every fault of the request at once, or its typed input. Beyond the limits on query and body nothing else is looked at. The body, if
   * there is one, has been read.
   */
  validate(operation: Operation, req: Request, res: Response): Promise<Validation>;
}

/** A request as express-openapi-validator gets and completes it. */
type ValidatedRequest = Parameters<ReturnType<typeof middleware>[number]>[0];

/** Makes of a request what the validator needs to see of it, with its query as it was read here. */
function prepare(req: Request, { body }: Operation, query: Readonly<Record<string, unknown>>, rawQuery: string): void {
  // The target as sent may be absolute or have a fragment: the validator looks for the path by which the route was found.
  req.url = `${req.path}?${rawQuery}`;
  Object.defineProperty(req, 'query', { configurable: true, enumerable: true, writable: true, value: query });
  // Who read the body has checked its media type. The validator keeps a compiled form for each that it sees, parameters included.
  if (body !== null && (body.required || req.body !== undefined)) req.headers['content-type'] = 'application/json';
  else delete req.headers['content-type'];
}

/** Runs the validator on a request; what it hands on as an error is the result. */
function run(validator: Router, req: Request, res: Response): Promise<unknown> {
  return new Promise((resolve) => {
    validator(req, res, resolve);
  });
}

/**
 * What the validator found: the first fault of each place, and how many places with faults there are beyond those that are listed.
 */
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

/** The symbol of a request as it was read; null where it names none, or several. */
function symbolOf({ symbol }: Readonly<Record<string, unknown>>): string | null {
  return typeof symbol === 'string' && !symbol.includes(',') ? symbol : null;
}

function pathFaults({ openapi }: ValidatedRequest): readonly FaultItem[] {
  return Object.entries(openapi?.pathParams ?? {}).flatMap(([name, value]) => illFormedText(['path', name], value) ?? []);
}

/** Faults that no schema finds, by operation, given body and query: they are reported with those that it finds. */
const ownFaults: ReadonlyMap<string, (body: unknown, query: Readonly<Record<string, unknown>>) => readonly FaultItem[]> = new Map([
  ['updateKey', keyPatchFaults],
  ['createExportJob', exportBodyFaults],
  ['searchEvents', (_body: unknown, { q }: Readonly<Record<string, unknown>>) => searchWordFaults(q)],
  ['simulateTiers', (_body: unknown, query: Readonly<Record<string, unknown>>) => familyFaults(query)],
  ...['createSavedSearch', 'updateSavedSearch'].map((id) => [id, savedSearchFaults] as const),
  ...['createWatchlist', 'updateWatchlist', 'createAlert', 'updateAlert', 'rehearseAlerts'].map((id) => [id, ruleFaults] as const),
]);

/** What is read of the requests of an operation before and after the validator. */
interface OperationParts {
  readonly query: QueryShapes;
  /** In lower case. */
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

/**
 * Validates requests with express-openapi-validator. What it would report alone and first (unknown and
 * repeated parameters) is found before it, so that all faults are told together.
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
      if (shape.valueTotal > LIGHT_VALUES_MAX) await ownTurn();
      prepare(req, operation, values, rawQuery);
      const { found, further } = faultsOf(await run(await validators.of(operation), req, res), req);
      const named = found.map((fault) => nameServed(fault, market.symbols()));
      const all = oneFaultAPlace([
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
