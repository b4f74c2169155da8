import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '@market-state/logging';
import type { Metrics } from '@market-state/telemetry';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import type { GatewayFigures } from './gateway-figures';
import type { RequestLimits } from './admission/request-limits';
import type { KeyDirectory } from './auth/credential-directory';
import { API_KEY_HEADER } from './auth/authorise';
import type { Grant } from './auth/grant';
import { chooseEncoding, namesTag, type Encoding, entityTag, type FixedRepresentation } from './http/representation';
import { announceDeprecation, requestIdOf, recordReady, chargeOnDelivery } from './http/request-lifetime';
import { sendProblem, notModifiedHeaders, successHeaders } from './http/send';
import type { Meter, OpenCharge } from './metering/meter';
import type { Operation } from './openapi/operations';
import { hasBounds, rememberCalls } from './metering/call-price';
import type { AheadOfApp } from './server/matched-server';
import type { FastRead, ReadyAnswer, QueryValues } from './fast-read';
import { queryShapes, readQuery } from './validation/request-shape';

/** A lane, and what stands in the place of its path's parameter; empty where it has none. */
interface FoundLane<Lane> {
  readonly lane: Lane;
  readonly inPath: string;
}

/** The end of an address that leads to a lane: the segments behind the parameter. */
interface Branch<Lane> {
  readonly suffix: string;
  readonly lane: Lane;
}

/** Finds the lane of an address by its path, of which at most one segment is a parameter. */
function findLane<Lane>(reads: readonly FastRead[], laneOf: (read: FastRead) => Lane): (path: string) => FoundLane<Lane> | undefined {
  const plain = new Map<string, FoundLane<Lane>>();
  const branches = new Map<string, Branch<Lane>[]>();
  for (const read of reads) {
    const [before = '', after] = read.operation.path.split(/\{[^}]+\}/);
    if (after === undefined) plain.set(before, { lane: laneOf(read), inPath: '' });
    else branches.set(before, [...(branches.get(before) ?? []), { suffix: after, lane: laneOf(read) }]);
  }

  return (path) => {
    const found = plain.get(path);
    if (found !== undefined) return found;
    for (const [prefix, ends] of branches) {
      if (!path.startsWith(prefix)) continue;
      const slash = path.indexOf('/', prefix.length);
      const end = slash === -1 ? path.length : slash;
      const branch = ends.find(({ suffix }) => path.slice(end) === suffix);
      if (branch !== undefined) return { lane: branch.lane, inPath: path.slice(prefix.length, end) };
    }
    return undefined;
  };
}

const MEMO_SIZE = 1_000;

/** Of schemas of the OpenAPI document, which is checked elsewhere: to compile the schema of schemas takes longer than all of these. */
const ajv = new Ajv2020({ strict: false, useDefaults: true, validateFormats: false, validateSchema: false });
const validators = new WeakMap<Operation, ValidateFunction>();

/** Gives the same object for the same text, as long as it is remembered; null when the query is not plainly good. */
type QueryReader = (rawQuery: string) => QueryValues | null;

/**
 * Reads queries by a validator compiled from the operation's own parameters. One that needs more than a schema, such as an instant, is
 * left to the full route unless it has its default.
 */
function compileQueryReader(operation: Operation): QueryReader {
  const shapes = queryShapes(operation);
  const parameters = operation.parameters.filter(({ in: place }) => place === 'query');
  const formatted = parameters.filter(({ schema }) => 'format' in schema);
  const validate = validatorOf(operation, parameters);
  const wholeNumbers = parameters.filter(({ name }) => shapes.get(name)?.wholeNumber).map(({ name }) => name);
  const memo = new Map<string, QueryValues | null>();

  function read(rawQuery: string): QueryValues | null {
    const { values: sent, faults } = readQuery(rawQuery, shapes, operation.furtherQuery);
    if (faults.length > 0) return null;
    const values: Record<string, unknown> = { ...sent };
    for (const name of wholeNumbers) if (name in sent) values[name] = Number(sent[name]);
    if (!validate(values)) return null;
    return formatted.some(({ name, schema }) => values[name] !== schema['default']) ? null : values;
  }

  return (rawQuery) => {
    const known = memo.get(rawQuery);
    if (known !== undefined) return known;
    const query = read(rawQuery);
    if (memo.size >= MEMO_SIZE) memo.clear();
    memo.set(rawQuery, query);
    return query;
  };
}

/** Of the values of an operation's query, with its defaults filled in. */
function validatorOf(operation: Operation, parameters: Operation['parameters']): ValidateFunction {
  const known = validators.get(operation);
  if (known !== undefined) return known;
  const made = ajv.compile({
    type: 'object',
    required: parameters.filter((parameter) => parameter['required'] === true || 'default' in parameter.schema).map(({ name }) => name),
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
  });
  validators.set(operation, made);
  return made;
}

/** Headers of one answer in one coding, name and value in turns. */
interface ReadyHeaders {
  readonly etag: string;
  readonly ok: readonly string[];
  readonly notModified: readonly string[];
}

const ready = new WeakMap<FixedRepresentation, Map<Encoding, ReadyHeaders>>();

/** Made once, and kept as long as the answer is. */
function readyHeaders(representation: FixedRepresentation, encoding: Encoding): ReadyHeaders {
  const byEncoding = ready.get(representation) ?? new Map<Encoding, ReadyHeaders>();
  ready.set(representation, byEncoding);
  const known = byEncoding.get(encoding);
  if (known !== undefined) return known;
  const made: ReadyHeaders = {
    etag: entityTag(representation.tag, encoding),
    ok: successHeaders(representation, encoding, representation.bodies[encoding].length),
    notModified: notModifiedHeaders(representation, encoding),
  };
  byEncoding.set(encoding, made);
  return made;
}

interface FastLaneDeps {
  readonly directory: Pick<KeyDirectory, 'remembered'>;
  readonly metrics: Metrics;
  readonly figures: Pick<GatewayFigures, 'answered'>;
  readonly logger: Logger;
  readonly limits: Pick<RequestLimits, 'admitNow' | 'refuseNow'>;
  readonly meter: Pick<Meter, 'openNow'>;
  /** Symbols served. */
  readonly symbolTotal: () => number;
}

/** The status sent. */
type Status = 200 | 304 | 429;

/** Null when the full route is to serve the call. */
type Lane = (req: IncomingMessage, res: ServerResponse, rawQuery: string, inPath: string) => Status | null;

/**
 * Answers the plain case of some reads at once, ahead of Express: a remembered key with the scope, a good query and an answer that is
 * ready, credits and calls that are held here; and refuses a key that is known to be beyond its rate, so that a flood costs less than
 * answers. Everything else goes on to the full route, so that no fault is told in two ways.
 */
export function fastLane(reads: readonly FastRead[], deps: FastLaneDeps): AheadOfApp {
  const laneAt = findLane(reads, (read) => ({
    operation: read.operation,
    serve: laneOf(read, deps),
    observe: durationsOf(read, deps),
    rateClass: read.operation.rateClass,
    traced: { GET: { method: 'GET', route: read.operation.path }, HEAD: { method: 'HEAD', route: read.operation.path } },
  }));
  return (req, res) => {
    const { method, url = '' } = req;
    if (method !== 'GET' && method !== 'HEAD') return false;
    const mark = url.indexOf('?');
    const found = laneAt(mark === -1 ? url : url.slice(0, mark));
    if (found === undefined) return false;
    const startedMs = performance.now();
    const { lane, inPath } = found;
    announceDeprecation(res, lane.operation.deprecation);
    const serve = (): Status | null => lane.serve(req, res, mark === -1 ? '' : url.slice(mark + 1), inPath);
    const status = serveOrLeave(serve, res, deps.logger);
    if (status === null) return res.headersSent;
    lane.observe[method][status].observe((performance.now() - startedMs) / 1_000);
    deps.figures.answered(lane.rateClass, status);
    recordReady(lane.traced[method], status, startedMs);
    return true;
  };
}

function durationsOf({ operation }: FastRead, { metrics }: FastLaneDeps) {
  const observe = (method: string, status: string) => metrics.httpServer.labels({ route: operation.path, method, status });
  return {
    GET: { 200: observe('GET', '200'), 304: observe('GET', '304'), 429: observe('GET', '429') },
    HEAD: { 200: observe('HEAD', '200'), 304: observe('HEAD', '304'), 429: observe('HEAD', '429') },
  };
}

/** As the lane: what it throws is logged and left to the full route, or ends the connection when a part of the answer is out. */
function serveOrLeave(serve: () => Status | null, res: ServerResponse, logger: Logger): Status | null {
  try {
    return serve();
  } catch (error) {
    logger.error({ err: error }, 'the fast lane failed');
    if (res.headersSent) res.destroy();
    return null;
  }
}

function laneOf({ operation, answer }: FastRead, { directory, limits, meter, symbolTotal }: FastLaneDeps): Lane {
  const readQuery = compileQueryReader(operation);
  const callOf = rememberCalls(operation, symbolTotal);

  function grantOf(req: IncomingMessage): Grant | null {
    const key = req.headers[API_KEY_HEADER];
    const grant = typeof key === 'string' ? directory.remembered(key, req.socket) : null;
    return grant === null || grant.sandbox || !grant.scopes.has(operation.scope) ? null : grant;
  }

  return (req, res, rawQuery, inPath) => {
    const grant = grantOf(req);
    if (grant === null) return null;
    const refusal = limits.refuseNow(grant);
    if (refusal !== null) {
      sendProblem(res, requestIdOf(req), refusal);
      return 429;
    }
    const query = hasBounds(req.headers) ? null : readQuery(rawQuery);
    if (query === null) return null;
    const ready = answer(query, grant, inPath);
    if (ready === null) return null;
    const requestId = requestIdOf(req);
    const { price, caller } = callOf(grant, query);
    const charge = meter.openNow({ operation, price, caller, hasCeiling: grant.hasCeiling, requestId, quoteId: '' });
    if (charge === null) return null;
    const pace = limits.admitNow(grant, req);
    if (pace === null) {
      charge.cancel();
      return null;
    }
    try {
      return send(req, res, ready, { requestId, pace, charge });
    } catch (error) {
      charge.cancel();
      throw error;
    }
  };
}

interface Sending {
  readonly requestId: string;
  /** What the answer says of the caller's limits, name and value in turns. */
  readonly pace: readonly string[];
  readonly charge: OpenCharge;
}

function send(
  req: IncomingMessage,
  res: ServerResponse,
  { representation, observed }: ReadyAnswer,
  { requestId, pace, charge }: Sending,
): 200 | 304 {
  const encoding = chooseEncoding(req.headers['accept-encoding'], representation.bodies.identity.length);
  const headers = readyHeaders(representation, encoding);
  const known = req.headers['if-none-match'];
  const unchanged = known !== undefined && (known === headers.etag || namesTag(known, representation.tag));
  const status = unchanged ? 304 : 200;
  res.writeHead(status, [
    ...(unchanged ? headers.notModified : headers.ok),
    ...pace,
    ...charge.settle(observed, status),
    'X-Request-Id',
    requestId,
  ]);
  if (unchanged) res.end();
  else res.end(representation.bodies[encoding]);
  chargeOnDelivery(charge, req, res);
  return status;
}
