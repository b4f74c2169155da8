import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '@market-state/logging';
import type { Metrics } from '@market-state/telemetry';
import type { GatewayStatistics } from './gateway-statistics';
import type { RequestLimits } from './admission';
import type { CredentialDirectory } from './auth/credential-directory';
import { API_KEY_HEADER } from './auth/authorise';
import type { Grant } from './auth/credentials';
import type { Encoding, FixedRepresentation } from './http/representation';
import { announceDeprecation, durationsOf, requestIdOf, recordReady, chargeOnDelivery } from './http/request-lifetime';
import { chooseEncoding, namesTag, readyHead, type ReadyHead, sendProblem, writeHead } from './http/send';
import type { Meter, OpenCharge } from './metering/meter';
import { BOUND_HEADERS } from './metering/call-price';
import type { InputOf, OperationId } from './answers/handler';
import { type Operation, operationById } from './openapi/operations';
import type { AheadOfApp } from './server/matched-server';
import type { MarketNames } from './validation/market-names';
import { checkQuery } from './validation/request-validator';

export type QueryValues = Readonly<Record<string, unknown>>;

export interface ReadyAnswer {
  readonly representation: FixedRepresentation;
  /** Undefined charges the estimate. */
  readonly observed: number | undefined;
}

export interface FastRead {
  readonly operation: Operation;
  /** Null leaves the call to the full route. `inPath` is the raw path parameter, empty without one. */
  readonly answer: (query: QueryValues, grant: Grant, inPath: string) => ReadyAnswer | null;
}

type QueryOf<Op extends OperationId> = InputOf<Op>['query'];

/**
 * @param varying query parameters that `answer` reads. A call with any other parameter off its default, such as one that
 * is new in the document, is left to the full route.
 */
export function fastRead<Op extends OperationId>(
  operationId: Op,
  varying: readonly (keyof QueryOf<Op>)[],
  answer: (query: QueryOf<Op>, grant: Grant) => ReadyAnswer | null,
): FastRead {
  const operation = operationById(operationId);
  const fixed = operation.parameters.filter(({ in: place, name }) => place === 'query' && !varying.some((one) => one === name));
  return {
    operation,
    answer: (query, grant) =>
      fixed.some(({ name, schema }) => query[name] !== schema.default) ? null : answer(query as QueryOf<Op>, grant),
  };
}

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

const ready = new WeakMap<FixedRepresentation, Map<Encoding, ReadyHead>>();

function headOf(representation: FixedRepresentation, encoding: Encoding): ReadyHead {
  const byEncoding = ready.get(representation) ?? new Map<Encoding, ReadyHead>();
  ready.set(representation, byEncoding);
  const known = byEncoding.get(encoding);
  if (known !== undefined) return known;
  const made = readyHead(representation, encoding, representation.bodies[encoding].length);
  byEncoding.set(encoding, made);
  return made;
}

interface FastReadDeps {
  readonly directory: Pick<CredentialDirectory, 'remembered'>;
  readonly metrics: Metrics;
  readonly figures: Pick<GatewayStatistics, 'answered'>;
  readonly logger: Logger;
  readonly limits: Pick<RequestLimits, 'admitNow' | 'refuseNow'>;
  readonly meter: Pick<Meter, 'openNow'>;
  readonly names: Pick<MarketNames, 'known'>;
}

type Status = 200 | 304 | 429;

/** Null hands the call to the full route. */
type Read = (req: IncomingMessage, res: ServerResponse, rawQuery: string, inPath: string) => Status | null;

/**
 * Serves before Express: cached key with the scope, valid query, ready answer, credits and rate available locally.
 * Refuses keys known to be over their rate, so that a flood costs less than answers. The full route does the rest and
 * alone reports errors.
 */
export function fastPath(reads: readonly FastRead[], deps: FastReadDeps): AheadOfApp {
  const readAt = findFastRead(reads, (read) => ({
    operation: read.operation,
    serve: readOf(read, deps),
    observe: durationsOf(deps.metrics, read.operation.path),
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
    read.observe(method, status, startedMs);
    deps.figures.answered(read.rateClass, status);
    recordReady(read.traced[method], status, startedMs);
    return true;
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

function readOf({ operation, answer }: FastRead, { directory, limits, meter, names }: FastReadDeps): Read {
  function grantOf(req: IncomingMessage): Grant | null {
    const key = req.headers[API_KEY_HEADER];
    const grant = typeof key === 'string' ? directory.remembered({ kind: 'key', secret: key }, req.socket) : null;
    return grant === null || grant.sandbox || !grant.scopes.has(operation.scope) ? null : grant;
  }

  return (req, res, rawQuery, inPath) => {
    const grant = grantOf(req);
    if (grant === null) return null;
    const refusal = limits.refuseNow(operation, grant);
    if (refusal !== null) {
      sendProblem(res, requestIdOf(req), refusal);
      return 429;
    }
    if (BOUND_HEADERS.some((name) => req.headers[name] !== undefined)) return null;
    const { values, isPlain } = checkQuery(operation, rawQuery);
    const query = isPlain ? names.known(values) : null;
    if (query === null) return null;
    const ready = answer(query, grant, inPath);
    if (ready === null) return null;
    const requestId = requestIdOf(req);
    const charge = meter.openNow({ operation, query, grant, requestId });
    if (charge === null) return null;
    const pace = limits.admitNow(operation, grant, req);
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
  const head = headOf(representation, encoding);
  const known = req.headers['if-none-match'];
  const unchanged = known !== undefined && (known === head.etag || namesTag(known, representation.tag));
  const status = unchanged ? 304 : 200;
  writeHead(res, status, head.shared, [
    ...(unchanged ? [] : head.ofBody),
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
