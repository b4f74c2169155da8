import type { CallPrice } from '@market-state/pricing';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Ajv2020 } from 'ajv/dist/2020';
import type { account } from '@market-state/contracts';
import type { Logger } from '@market-state/logging';
import type { Metrics } from '@market-state/telemetry';
import { API_KEY_HEADER } from '../../serving/auth/authorise';
import type { Grant } from '../../serving/auth/grant';
import type { KeyDirectory } from '../../serving/auth/key-directory';
import { chooseEncoding, type Encoding } from '../../serving/http/encoding';
import { entityTag, namesTag } from '../../serving/http/entity-tag';
import type { AheadOfApp } from '../../serving/server/matched-server';
import { requestIdOf } from '../../serving/http/request-id';
import { notModifiedHeaders, successHeaders } from '../../serving/http/send';
import { ALL_SYMBOLS, type LatestBoard, type PublishedLatest } from '../../boards/latest-board';
import type { RequestLimits } from '../../serving/admission/request-limits';
import { priceOfCall } from '../../serving/metering/call-price';
import { callerOf } from '../../serving/metering/charge';
import { chargeOnDelivery } from '../../serving/metering/charge-on-delivery';
import type { Meter, OpenCharge } from '../../serving/metering/meter';
import { hasBounds } from '../../serving/metering/spend-bounds';
import type { Operation } from '../../serving/openapi/operations';
import type { PacketView } from '../../serving/answers/compact-row';
import { queryShapes, readQuery } from '../../serving/validation/read-query';

const MEMO_SIZE = 1_000;

/** What a raw query asks for. */
interface LatestQuery {
  readonly symbol: string;
  readonly view: PacketView;
}

/** Null when the query is not plainly good. */
type LatestQueryReader = (rawQuery: string) => LatestQuery | null;

/** Reads the query of `latest` by a validator compiled from the operation's own parameters. */
function compileQueryReader(operation: Operation): LatestQueryReader {
  const shapes = queryShapes(operation);
  const properties = Object.fromEntries(
    operation.parameters.filter(({ in: place }) => place === 'query').map(({ name, schema }) => [name, schema]),
  );
  const validate = new Ajv2020({ strict: false, useDefaults: true }).compile<LatestQuery>({
    type: 'object',
    required: ['symbol', 'view'],
    properties,
  });
  const memo = new Map<string, LatestQuery | null>();

  function read(rawQuery: string): LatestQuery | null {
    const { values, faults } = readQuery(rawQuery, shapes, operation.furtherQuery);
    const query: unknown = values;
    return faults.length === 0 && validate(query) ? { symbol: query.symbol, view: query.view } : null;
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

/** Headers of one published response in one coding, kept with it. */
interface ReadyHeaders {
  readonly etag: string;
  readonly ok: readonly string[];
  readonly notModified: readonly string[];
}

/** What every call of one grant for one symbol, or for all, has in common. */
interface KnownCall {
  readonly symbolTotal: number;
  readonly price: CallPrice;
  readonly caller: account.Caller;
}

/** Calls by grant and symbol; those for all are priced anew when another number of symbols is served. */
function rememberCalls(operation: Operation, board: Pick<LatestBoard, 'symbols'>) {
  const known = new WeakMap<Grant, Map<string, KnownCall>>();

  function make(grant: Grant, symbol: string, symbolTotal: number): KnownCall {
    const input = { query: { symbol }, sent: new Set<string>(), path: {}, headers: {}, body: undefined };
    return { symbolTotal, price: priceOfCall(operation, input, { symbolTotal, planId: grant.plan.planId }), caller: callerOf(grant) };
  }

  return (grant: Grant, symbol: string): KnownCall => {
    const symbolTotal = symbol === ALL_SYMBOLS ? (board.symbols()?.length ?? 0) : 1;
    const bySymbol = known.get(grant) ?? new Map<string, KnownCall>();
    const before = bySymbol.get(symbol);
    if (before !== undefined && before.symbolTotal === symbolTotal) return before;
    const made = make(grant, symbol, symbolTotal);
    bySymbol.set(symbol, made);
    known.set(grant, bySymbol);
    return made;
  };
}

export interface HotLatestDeps {
  readonly operation: Operation;
  readonly board: Pick<LatestBoard, 'warm' | 'symbols'>;
  readonly directory: Pick<KeyDirectory, 'remembered'>;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly limits: Pick<RequestLimits, 'admitNow'>;
  readonly meter: Pick<Meter, 'openNow'>;
}

/**
 * Answers the plain case of `latest` at once, ahead of Express: a remembered key with the scope, a good query and a response that is pushed
 * and fresh, credits and calls that are held here. Everything else goes on to the full route, so that no fault is told in two ways.
 */
export function hotLatest({ operation, board, directory, metrics, logger, limits, meter }: HotLatestDeps): AheadOfApp {
  const { path } = operation;
  const readAsked = compileQueryReader(operation);
  const callOf = rememberCalls(operation, board);
  const ready = new WeakMap<PublishedLatest, Map<Encoding, ReadyHeaders>>();
  const observe = (method: string, status: string) => metrics.httpServer.labels({ route: operation.path, method, status });
  const series = {
    GET: { 200: observe('GET', '200'), 304: observe('GET', '304') },
    HEAD: { 200: observe('HEAD', '200'), 304: observe('HEAD', '304') },
  };

  function headersOf(response: PublishedLatest, encoding: Encoding): ReadyHeaders {
    const byEncoding = ready.get(response) ?? new Map<Encoding, ReadyHeaders>();
    ready.set(response, byEncoding);
    const known = byEncoding.get(encoding);
    if (known !== undefined) return known;
    const { representation } = response;
    const made: ReadyHeaders = {
      etag: entityTag(representation.tag, encoding),
      ok: successHeaders(representation, encoding, representation.bodies[encoding].length),
      notModified: notModifiedHeaders(representation, encoding),
    };
    byEncoding.set(encoding, made);
    return made;
  }

  function grantOf(req: IncomingMessage): Grant | null {
    const key = req.headers[API_KEY_HEADER];
    const grant = typeof key === 'string' ? directory.remembered(key, req.socket) : null;
    return grant === null || grant.sandbox || !grant.scopes.has(operation.scope) ? null : grant;
  }

  function send(
    req: IncomingMessage,
    res: ServerResponse,
    response: PublishedLatest,
    requestId: string,
    pace: readonly string[],
    charge: OpenCharge,
  ): 200 | 304 {
    const encoding = chooseEncoding(req.headers['accept-encoding']);
    const headers = headersOf(response, encoding);
    const known = req.headers['if-none-match'];
    const unchanged = known !== undefined && (known === headers.etag || namesTag(known, response.representation.tag));
    const status = unchanged ? 304 : 200;
    res.writeHead(status, [
      ...(unchanged ? headers.notModified : headers.ok),
      ...pace,
      ...charge.settle(response.symbolTotal, status),
      'X-Request-Id',
      requestId,
    ]);
    if (unchanged) res.end();
    else res.end(response.representation.bodies[encoding]);
    chargeOnDelivery(charge, req, res);
    return status;
  }

  /** The status sent; null when the full route is to serve the call. */
  function serve(req: IncomingMessage, res: ServerResponse, rawQuery: string): 200 | 304 | null {
    const grant = grantOf(req);
    const asked = grant === null || hasBounds(req.headers) ? null : readAsked(rawQuery);
    const response = asked === null ? null : board.warm(asked.symbol, asked.view);
    if (grant === null || asked === null || response === null) return null;
    const requestId = requestIdOf(req);
    const { price, caller } = callOf(grant, asked.symbol);
    const charge = meter.openNow({ operation, price, caller, hasCeiling: grant.hasCeiling, requestId, quoteId: '' });
    if (charge === null) return null;
    const pace = limits.admitNow(grant);
    if (pace === null) {
      charge.cancel();
      return null;
    }
    try {
      return send(req, res, response, requestId, pace, charge);
    } catch (error) {
      charge.cancel();
      throw error;
    }
  }

  /** The query of a request to this very route; null for any other request. */
  function queryOf({ method, url = '' }: IncomingMessage): string | null {
    if ((method !== 'GET' && method !== 'HEAD') || !url.startsWith(path)) return null;
    if (url.length === path.length) return '';
    return url[path.length] === '?' ? url.slice(path.length + 1) : null;
  }

  /** As `serve`: what it throws is logged and left to the full route, or ends the connection when a part of the answer is out. */
  function serveOrLeave(req: IncomingMessage, res: ServerResponse, rawQuery: string): 200 | 304 | null {
    try {
      return serve(req, res, rawQuery);
    } catch (error) {
      logger.error({ err: error }, 'the shortcut of latest failed');
      if (res.headersSent) res.destroy();
      return null;
    }
  }

  return (req, res) => {
    const rawQuery = queryOf(req);
    if (rawQuery === null) return false;
    const startedMs = performance.now();
    const status = serveOrLeave(req, res, rawQuery);
    if (status === null) return res.headersSent;
    series[req.method === 'HEAD' ? 'HEAD' : 'GET'][status].observe((performance.now() - startedMs) / 1_000);
    return true;
  };
}
