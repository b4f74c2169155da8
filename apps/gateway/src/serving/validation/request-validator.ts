import { yieldToEventLoop } from '@market-state/lifecycle';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';
import { LRUCache } from 'lru-cache';
import { type FaultItem, FAULTS_MAX } from '../errors/problem';
import { isInstantOrEmpty } from '../meta/meta';
import type { Parameter, Schema } from '../openapi/document';
import type { Operation } from '../openapi/operations';
import type { MarketNames } from './market-names';
import { bodyShape, illFormedText, type QueryShapes, queryShapes, type ReadQuery, readQuery, wholeNumberFault } from './request-shape';
import {
  channelFaults,
  exportBodyFaults,
  familyFaults,
  keyPatchFaults,
  nameServed,
  type Place,
  ruleFaults,
  savedSearchFaults,
  searchWordFaults,
  symbolListFaults,
  tagFaults,
  toFaultItem,
  windowFaults,
} from './validation-errors';

const OPTIONS = {
  allErrors: true,
  strict: false,
  strictNumbers: true,
  useDefaults: true,
  // The document is checked as a whole by a test.
  validateSchema: false,
  formats: { 'instant-or-empty': isInstantOrEmpty, password: true },
} as const;

/** Parameters are sent as text. */
const ofParameters = new Ajv2020({ ...OPTIONS, coerceTypes: true });
const ofBodies = new Ajv2020(OPTIONS);

/** Queries cached by operation, and their longest text. */
const QUERIES_MAX = 256;
const QUERY_LENGTH_MAX = 512;

/** Query as the schemas see it; the same text gives the same object. */
export interface CheckedQuery extends Omit<ReadQuery, 'values'> {
  /** With defaults, and numbers as such. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly errors: readonly ErrorObject[];
  /** Valid, and without parameters that need more than a schema, such as instants other than their default. */
  readonly isPlain: boolean;
}

interface CompiledOperation {
  readonly shapes: QueryShapes;
  readonly formatted: readonly Parameter[];
  readonly bracketed: readonly string[];
  readonly headers: readonly string[];
  readonly wholeHeaders: readonly string[];
  readonly check: Readonly<Record<Place, ValidateFunction>>;
  readonly queries: LRUCache<string, CheckedQuery>;
}

const compiled = new WeakMap<Operation, CompiledOperation>();

/** Compiled at the operation's first request, which takes 1 to 4 ms. */
function compiledOf(operation: Operation): CompiledOperation {
  const known = compiled.get(operation);
  if (known !== undefined) return known;
  const placed = (place: Parameter['in']): Parameter[] =>
    operation.parameters.filter((parameter) => parameter.in === place && parameter.name !== 'x-market-state-api-key');
  const [query, path] = [placed('query'), placed('path')];
  const headers = placed('header').map((parameter) => ({ ...parameter, name: parameter.name.toLowerCase() }));
  const shapes = queryShapes(operation);
  const made: CompiledOperation = {
    shapes,
    formatted: query.filter(({ schema }) => 'format' in schema),
    bracketed: query.filter(({ name }) => shapes.get(name)?.bracketed === true).map(({ name }) => name),
    headers: headers.map(({ name }) => name),
    wholeHeaders: headers.filter(({ schema }) => schema.type === 'integer').map(({ name }) => name),
    check: {
      query: ofParameters.compile(schemaOf(query)),
      path: ofParameters.compile(schemaOf(path)),
      header: ofParameters.compile(schemaOf(headers)),
      body: ofBodies.compile(operation.body?.schema ?? {}),
    },
    queries: new LRUCache<string, CheckedQuery>({ max: QUERIES_MAX }),
  };
  compiled.set(operation, made);
  return made;
}

function schemaOf(parameters: readonly Parameter[]): Schema {
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  };
}

/** The one check of a query, on every path. */
export function checkQuery(operation: Operation, rawQuery: string): CheckedQuery {
  const { queries, ...parts } = compiledOf(operation);
  const known = queries.get(rawQuery);
  if (known !== undefined) return known;
  const made = readAndCheck(operation, parts, rawQuery);
  if (rawQuery.length <= QUERY_LENGTH_MAX) queries.set(rawQuery, made);
  return made;
}

function readAndCheck(
  { furtherQuery }: Operation,
  { shapes, formatted, bracketed, check }: Omit<CompiledOperation, 'queries'>,
  rawQuery: string,
): CheckedQuery {
  const read = readQuery(rawQuery, shapes, furtherQuery);
  if (!read.isBounded) return { ...read, errors: [], isPlain: false };
  const values: Record<string, unknown> = { ...read.values };
  for (const name of bracketed) nest(values, name);
  for (const [name, { repeatable }] of shapes)
    if (repeatable && typeof values[name] === 'string' && values[name] !== '') values[name] = [values[name]];
  const errors = errorsOf(check.query, values);
  const isPlain = read.faults.length + errors.length === 0 && formatted.every(({ name, schema }) => values[name] === schema.default);
  return { ...read, values: Object.freeze(values), errors, isPlain };
}

/** `name[key]=value` becomes a member of an object. */
function nest(values: Record<string, unknown>, name: string): void {
  const members = Object.entries(values).filter(([sent]) => sent.startsWith(`${name}[`));
  if (members.length === 0) return;
  for (const [sent] of members) delete values[sent];
  values[name] = Object.fromEntries(members.map(([sent, value]) => [sent.slice(name.length + 1, -1), value]));
}

function errorsOf(check: ValidateFunction, data: unknown): readonly ErrorObject[] {
  return check(data) ? [] : (check.errors ?? []);
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

/** Parts of a request that an operation describes. */
export interface SentParts {
  /** Without `?`. */
  readonly rawQuery: string;
  readonly path: Readonly<Record<string, string>>;
  /** Names in lower case; others than documented are ignored. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** Undefined without one. Gets its defaults. */
  readonly body: unknown;
}

export interface RequestValidator {
  /** If limits on query or body are exceeded, reports only that. */
  validate(operation: Operation, sent: SentParts): Promise<Validation>;
}

interface PlacedError {
  readonly place: Place;
  readonly error: ErrorObject;
}

/** Faults of a list as a whole, which say nothing about its items. */
const LIST_FAULTS: ReadonlySet<string> = new Set(['minItems', 'maxItems', 'uniqueItems']);

/** The first error of each place, and those of a list as a whole; `further` counts places that are not listed. */
function schemaFaults(errors: readonly PlacedError[], sent: Readonly<Record<Place, unknown>>) {
  const byPlace = new Map<string, FaultItem>();
  let further = 0;
  const seen = new Set<string>();
  for (const { place, error } of errors) {
    const { missingProperty = '', additionalProperty = '' } = error.params as Readonly<Record<string, string>>;
    const ofList = LIST_FAULTS.has(error.keyword) ? `#${error.keyword}` : '';
    const at = `${place}${error.instancePath}/${missingProperty}${additionalProperty}${ofList}`;
    if (seen.has(at)) continue;
    seen.add(at);
    if (byPlace.size < FAULTS_MAX) byPlace.set(at, toFaultItem(place, error, sent[place]));
    else further += 1;
  }
  return { found: [...byPlace.values()], further };
}

function symbolOf({ symbol }: Readonly<Record<string, unknown>>): string | null {
  return typeof symbol === 'string' && !symbol.includes(',') ? symbol : null;
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

function bodyErrors({ body }: Operation, check: ValidateFunction, sent: unknown): readonly ErrorObject[] {
  if (body === null) return [];
  if (sent !== undefined) return errorsOf(check, sent);
  return body.required ? [MISSING_BODY] : [];
}

const MISSING_BODY: ErrorObject = {
  instancePath: '',
  schemaPath: '#/required',
  keyword: 'required',
  params: {},
  message: "must have required property 'body'",
};

/** Later faults of a location are repetitive, except those of a list as a whole. */
function oneFaultPerField(faults: readonly FaultItem[]): FaultItem[] {
  const seen = new Set<string>();
  return faults.filter((fault) => {
    const place = JSON.stringify([fault.loc, LIST_FAULTS.has(fault.type) ? fault.type : '']);
    if (seen.has(place)) return false;
    seen.add(place);
    return true;
  });
}

/** Compiled once per operation, with checks that no schema can express; all faults together. */
export function createRequestValidator(market: KnownMarket, names: MarketNames): RequestValidator {
  return {
    async validate(operation, { rawQuery, path, headers: sentHeaders, body: sentBody }) {
      const { headers: headerNames, wholeHeaders, check } = compiledOf(operation);
      const { values: sentQuery, faults, isBounded, errors } = checkQuery(operation, rawQuery);
      const shape = bodyShape(sentBody);
      if (!isBounded || !shape.isBounded) return { ok: false, faults: [...faults, ...shape.faults], further: 0 };
      if (shape.valueTotal > LIGHT_VALUES_MAX) await yieldToEventLoop();
      const headers: Record<string, unknown> = {};
      for (const name of headerNames) if (sentHeaders[name] !== undefined) headers[name] = sentHeaders[name];
      const wrongHeaders = wholeHeaders.flatMap((name) => (name in headers ? (wholeNumberFault('header', name, headers[name]) ?? []) : []));
      const wrongBody = bodyErrors(operation, check.body, sentBody);
      const placed = (place: Place, found: readonly ErrorObject[]): PlacedError[] => found.map((error) => ({ place, error }));
      const { found, further } = schemaFaults(
        [
          ...placed('query', errors),
          ...placed('header', errorsOf(check.header, headers)),
          ...placed('path', errorsOf(check.path, path)),
          ...placed('body', wrongBody),
        ],
        { query: sentQuery, header: headers, path, body: sentBody },
      );
      const asSent = <Value>(value: Value) => ({ value, faults: [] });
      const { value: query, faults: queryNames } = errors.length > 0 ? asSent(sentQuery) : await names.readQuery(sentQuery);
      const { value: body, faults: bodyNames } = wrongBody.length > 0 ? asSent(sentBody) : await names.readBody(sentBody);
      const { windowMsMax } = operation;
      const nowMs = market.knownToMs(symbolOf(query));
      const all = oneFaultPerField([
        ...faults,
        ...Object.entries(path).flatMap(([name, value]) => illFormedText(['path', name], value) ?? []),
        ...wrongHeaders,
        ...channelFaults(query),
        ...symbolListFaults(operation, query).map((fault) => nameServed(fault, market.symbols())),
        ...queryNames,
        ...bodyNames,
        ...shape.faults,
        ...found.map((fault) => nameServed(fault, market.symbols())),
        ...(ownFaults.get(operation.servedAs)?.(body, query) ?? []),
        ...tagFaults(query),
        ...windowFaults(query, { windowMsMax, nowMs }),
        ...windowFaults({ ...(body as object | null | undefined) }, { windowMsMax, nowMs }, 'body'),
      ]);
      return all.length > 0 ? { ok: false, faults: all, further } : { ok: true, input: { query, path, headers, body } };
    },
  };
}
