import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '@market-state/logging';
import type { Metrics } from '@market-state/telemetry';
import type { GatewayFigures } from '../figures/gateway-figures';
import type { RequestLimits } from '../admission/request-limits';
import { API_KEY_HEADER } from '../auth/authorise';
import type { Grant } from '../auth/grant';
import type { KeyDirectory } from '../auth/key-directory';
import { chooseEncoding } from '../http/encoding';
import { namesTag } from '../http/entity-tag';
import { requestIdOf } from '../http/request-id';
import { recordReady } from '../http/request-span';
import { sendProblem } from '../http/send';
import { chargeOnDelivery } from '../metering/charge-on-delivery';
import type { Meter, OpenCharge } from '../metering/meter';
import { announceDeprecation } from '../openapi/deprecation';
import { hasBounds } from '../metering/spend-bounds';
import type { AheadOfApp } from '../server/matched-server';
import type { FastRead, ReadyAnswer } from './fast-read';
import { findLane } from './find-lane';
import { rememberCalls } from './known-calls';
import { compileQueryReader } from './query-reader';
import { readyHeaders } from './ready-headers';

export interface FastLaneDeps {
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
