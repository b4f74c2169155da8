import { Ajv2020 } from 'ajv/dist/2020';
import type { account } from '@market-state/contracts';
import type { Metrics } from '@market-state/telemetry';
import type { Request, RequestHandler, Response } from 'express';
import { API_KEY_HEADER } from '../auth/authorise';
import type { Grant } from '../auth/grant';
import type { KeyDirectory } from '../auth/key-directory';
import { chooseEncoding, type Encoding } from '../http/encoding';
import { entityTag, namesTag } from '../http/entity-tag';
import { requestIdOf } from '../http/request-id';
import { notModifiedHeaders, successHeaders } from '../http/send';
import { ALL_SYMBOLS, type LatestBoard, type PublishedLatest } from '../latest/latest-board';
import type { RequestLimits } from '../limits/request-limits';
import { type CallPrice, priceCall } from '../metering/call-price';
import { callerOf } from '../metering/charge';
import type { Meter, OpenCharge } from '../metering/meter';
import { hasBounds } from '../metering/spend-bounds';
import type { Operation } from '../openapi/operations';
import { queryShapes, readQuery } from '../validation/read-query';
import { rawQueryOf } from './serve-operation';

const MEMO_SIZE = 1_000;

/** The symbol that a raw query asks for; null when the query is not plainly good. */
export type SymbolReader = (rawQuery: string) => string | null;

/** Reads the query of `latest` by a validator compiled from the operation's own parameters. */
function compileSymbolReader(operation: Operation): SymbolReader {
  const shapes = queryShapes(operation);
  const properties = Object.fromEntries(operation.parameters.filter(({ in: place }) => place === 'query').map(({ name, schema }) => [name, schema]));
  const validate = new Ajv2020({ strict: false, useDefaults: true }).compile<{ symbol: string }>({ type: 'object', required: ['symbol'], properties });
  const memo = new Map<string, string | null>();

  function read(rawQuery: string): string | null {
    const { values, faults } = readQuery(rawQuery, shapes, operation.furtherQuery);
    const query: unknown = values;
    return faults.length === 0 && validate(query) ? query.symbol : null;
  }

  return (rawQuery) => {
    const known = memo.get(rawQuery);
    if (known !== undefined) return known;
    const symbol = read(rawQuery);
    if (memo.size >= MEMO_SIZE) memo.clear();
    memo.set(rawQuery, symbol);
    return symbol;
  };
}

/** Headers of one published response in one coding, kept with it. */
interface ReadyHeaders {
  readonly etag: string;
  readonly ok: readonly string[];
  readonly notModified: readonly string[];
}

function rememberCallers() {
  const known = new WeakMap<Grant, account.Caller>();
  return {
    of(grant: Grant): account.Caller {
      const caller = known.get(grant) ?? callerOf(grant);
      known.set(grant, caller);
      return caller;
    },
  };
}

/** Prices of one symbol and of all, by plan and by the symbols that are served. */
function rememberPrices(operation: Operation, board: Pick<LatestBoard, 'symbols'>) {
  const known = new Map<string, CallPrice>();
  return ({ plan: { planId } }: Grant, symbol: string): CallPrice => {
    const symbolTotal = symbol === ALL_SYMBOLS ? (board.symbols()?.length ?? 0) : 1;
    const place = `${planId} ${symbolTotal} ${symbol === ALL_SYMBOLS}`;
    const price = known.get(place) ?? priceCall(operation, { query: { symbol }, sent: new Set(), path: {}, headers: {}, body: undefined }, { symbolTotal, planId });
    known.set(place, price);
    return price;
  };
}

export interface HotLatestDeps {
  readonly operation: Operation;
  readonly board: Pick<LatestBoard, 'warm' | 'symbols'>;
  readonly directory: Pick<KeyDirectory, 'remembered'>;
  readonly metrics: Metrics;
  readonly limits: Pick<RequestLimits, 'admitNow'>;
  readonly meter: Pick<Meter, 'openNow'>;
}

/**
 * Answers the plain case of `latest` at once: a remembered key with the scope, a good query and a response that is pushed
 * and fresh, credits and calls that are held here. Everything else goes on to the full route, so that no fault is told in two ways.
 */
export function hotLatest({ operation, board, directory, metrics, limits, meter }: HotLatestDeps): RequestHandler {
  const readSymbol = compileSymbolReader(operation);
  const callers = rememberCallers();
  const priceOf = rememberPrices(operation, board);
  const ready = new WeakMap<PublishedLatest, Map<Encoding, ReadyHeaders>>();
  const observe = (method: string, status: string) => metrics.httpServer.labels({ route: operation.path, method, status });
  const series = { GET: { 200: observe('GET', '200'), 304: observe('GET', '304') }, HEAD: { 200: observe('HEAD', '200'), 304: observe('HEAD', '304') } };

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

  function grantOf(req: Request): Grant | null {
    const key = req.headers[API_KEY_HEADER];
    const grant = typeof key === 'string' ? directory.remembered(key) : null;
    return grant === null || grant.sandbox || !grant.scopes.has(operation.scope) ? null : grant;
  }

  function send(req: Request, res: Response, response: PublishedLatest, requestId: string, pace: readonly string[], charge: OpenCharge): 200 | 304 {
    const encoding = chooseEncoding(req.headers['accept-encoding']);
    const headers = headersOf(response, encoding);
    const known = req.headers['if-none-match'];
    const unchanged = known !== undefined && (known === headers.etag || namesTag(known, response.representation.tag));
    const status = unchanged ? 304 : 200;
    res.writeHead(status, [...(unchanged ? headers.notModified : headers.ok), ...pace, ...charge.settle(response.symbolTotal, status), 'X-Request-Id', requestId]);
    if (unchanged) res.end();
    else res.end(response.representation.bodies[encoding]);
    return status;
  }

  /** The status sent; null when the full route is to serve the call. */
  function serve(req: Request, res: Response): 200 | 304 | null {
    const grant = grantOf(req);
    const symbol = grant === null || hasBounds(req.headers) ? null : readSymbol(rawQueryOf(req.url));
    const response = symbol === null ? null : board.warm(symbol);
    if (grant === null || symbol === null || response === null) return null;
    const requestId = requestIdOf(req);
    const charge = meter.openNow({ operation, price: priceOf(grant, symbol), caller: callers.of(grant), requestId, quoteId: '' });
    if (charge === null) return null;
    const pace = limits.admitNow(grant);
    if (pace === null) {
      charge.cancel();
      return null;
    }
    return send(req, res, response, requestId, pace, charge);
  }

  return (req, res, next) => {
    const startedMs = performance.now();
    const status = serve(req, res);
    if (status === null) next();
    else series[req.method === 'HEAD' ? 'HEAD' : 'GET'][status].observe((performance.now() - startedMs) / 1_000);
  };
}
