import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '@market-state/logging';
import type { Metrics } from '@market-state/telemetry';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import type { GatewayStatistics } from './gateway-statistics';
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

interface FoundRead<Read> {
  readonly read: Read;
  readonly inPath: string;
}

interface Branch<Read> {
  readonly suffix: string;
  readonly read: Read;
}

/** Looks up by path; at most one segment is a parameter. */
function findFastRead<Read>(reads: readonly FastRead[], readOf: (read: FastRead) => Read): (path: string) => FoundRead<Read> | undefined {
  const plain = new Map<string, FoundRead<Read>>();
  const branches = new Map<string, Branch<Read>[]>();
  for (const read of reads) {
    const [before = '', after] = read.operation.path.split(/\{[^}]+\}/);
    if (after === undefined) plain.set(before, { read: readOf(read), inPath: '' });
    else branches.set(before, [...(branches.get(before) ?? []), { suffix: after, read: readOf(read) }]);
  }

  return (path) => {
    const found = plain.get(path);
    if (found !== undefined) return found;
    for (const [prefix, ends] of branches) {
      if (!path.startsWith(prefix)) continue;
      const slash = path.indexOf('/', prefix.length);
      const end = slash === -1 ? path.length : slash;
      const branch = ends.find(({ suffix }) => path.slice(end) === suffix);
      if (branch !== undefined) return { read: branch.read, inPath: path.slice(prefix.length, end) };
    }
    return undefined;
  };
}

const MEMO_SIZE = 1_000;

/** Compiling the meta-schema would take longer than all of these; the document is checked elsewhere. */
const ajv = new Ajv2020({ strict: false, useDefaults: true, validateFormats: false, validateSchema: false });
const validators = new WeakMap<Operation, ValidateFunction>();

/** Same text, same cached object; null if the query is not plainly valid. */
type QueryReader = (rawQuery: string) => QueryValues | null;

/** Parameters that need more than a schema, such as instants, are accepted only with their default. */
function compileQueryReader(operation: Operation): QueryReader {
  const shapes = queryShapes(operation);
  const parameters = operation.parameters.filter(({ in: place }) => place === 'query');
  const formatted = parameters.filter(({ schema }) => 'format' in schema);
  const validate = validatorOf(operation, parameters);
  const wholeNumbers = parameters.filter(({ name }) => shapes.get(name)?.wholeNumber).map(({ name }) => name);
  const cache = new Map<string, QueryValues | null>();

  function read(rawQuery: string): QueryValues | null {
    const { values: sent, faults } = readQuery(rawQuery, shapes, operation.furtherQuery);
    if (faults.length > 0) return null;
    const values: Record<string, unknown> = { ...sent };
    for (const name of wholeNumbers) if (name in sent) values[name] = Number(sent[name]);
    if (!validate(values)) return null;
    return formatted.some(({ name, schema }) => values[name] !== schema['default']) ? null : values;
  }

  return (rawQuery) => {
    const known = cache.get(rawQuery);
    if (known !== undefined) return known;
    const query = read(rawQuery);
    if (cache.size >= MEMO_SIZE) cache.clear();
    cache.set(rawQuery, query);
    return query;
  };
}

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

interface ReadyHeaders {
  readonly etag: string;
  readonly ok: readonly string[];
  readonly notModified: readonly string[];
}

const ready = new WeakMap<FixedRepresentation, Map<Encoding, ReadyHeaders>>();

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

interface FastReadDeps {
  readonly directory: Pick<KeyDirectory, 'remembered'>;
  readonly metrics: Metrics;
  readonly figures: Pick<GatewayStatistics, 'answered'>;
  readonly logger: Logger;
  readonly limits: Pick<RequestLimits, 'admitNow' | 'refuseNow'>;
  readonly meter: Pick<Meter, 'openNow'>;
  readonly symbolTotal: () => number;
}

type Status = 200 | 304 | 429;

/** Null hands the call to the full route. */
type Read = (req: IncomingMessage, res: ServerResponse, rawQuery: string, inPath: string) => Status | null;

/**
 * Answers some reads before Express: cached key with the scope, valid query, ready answer, credits and rate available
 * locally. Refuses keys known to be over their rate, so that a flood costs less than answers. Leaves everything else to
 * the full route, which alone reports errors.
 */
export function fastPath(reads: readonly FastRead[], deps: FastReadDeps): AheadOfApp {
  const readAt = findFastRead(reads, (read) => ({
    operation: read.operation,
    serve: readOf(read, deps),
    observe: durationsOf(read, deps),
    rateClass: read.operation.rateClass,
    traced: { GET: { method: 'GET', route: read.operation.path }, HEAD: { method: 'HEAD', route: read.operation.path } },
  }));
  return (req, res) => {
    const { method, url = '' } = req;
    if (method !== 'GET' && method !== 'HEAD') return false;
    const mark = url.indexOf('?');
    const found = readAt(mark === -1 ? url : url.slice(0, mark));
    if (found === undefined) return false;
    const startedMs = performance.now();
    const { read, inPath } = found;
    announceDeprecation(res, read.operation.deprecation);
    const serve = (): Status | null => read.serve(req, res, mark === -1 ? '' : url.slice(mark + 1), inPath);
    const status = serveOrLeave(serve, res, deps.logger);
    if (status === null) return res.headersSent;
    read.observe[method][status].observe((performance.now() - startedMs) / 1_000);
    deps.figures.answered(read.rateClass, status);
    recordReady(read.traced[method], status, startedMs);
    return true;
  };
}

function durationsOf({ operation }: FastRead, { metrics }: FastReadDeps) {
  const observe = (method: string, status: string) => metrics.httpServer.labels({ route: operation.path, method, status });
  return {
    GET: { 200: observe('GET', '200'), 304: observe('GET', '304'), 429: observe('GET', '429') },
    HEAD: { 200: observe('HEAD', '200'), 304: observe('HEAD', '304'), 429: observe('HEAD', '429') },
  };
}

/** If part of the answer is out, an error closes the connection. */
function serveOrLeave(serve: () => Status | null, res: ServerResponse, logger: Logger): Status | null {
  try {
    return serve();
  } catch (error) {
    logger.error({ err: error }, 'fast path failed');
    if (res.headersSent) res.destroy();
    return null;
  }
}

function readOf({ operation, answer }: FastRead, { directory, limits, meter, symbolTotal }: FastReadDeps): Read {
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
