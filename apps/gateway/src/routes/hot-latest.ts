import { Ajv2020 } from 'ajv/dist/2020';
import type { Metrics } from '@market-state/telemetry';
import type { Request, RequestHandler, Response } from 'express';
import { API_KEY_HEADER } from '../auth/authorise';
import type { KeyDirectory } from '../auth/key-directory';
import { chooseEncoding, type Encoding } from '../http/encoding';
import { entityTag, namesTag } from '../http/entity-tag';
import { requestIdOf } from '../http/request-id';
import { notModifiedHeaders, successHeaders } from '../http/send';
import type { LatestBoard, PublishedLatest } from '../latest/latest-board';
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

export interface HotLatestDeps {
  readonly operation: Operation;
  readonly board: Pick<LatestBoard, 'warm'>;
  readonly directory: Pick<KeyDirectory, 'remembered'>;
  readonly metrics: Metrics;
}

/**
 * Answers the plain case of `latest` at once: a remembered key with the scope, a good query and a response that is pushed
 * and fresh. Everything else goes on to the full route, so that no fault is told in two ways.
 */
export function hotLatest({ operation, board, directory, metrics }: HotLatestDeps): RequestHandler {
  const readSymbol = compileSymbolReader(operation);
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
      ok: [...successHeaders(representation, encoding, representation.bodies[encoding].length), 'X-Request-Id'],
      notModified: [...notModifiedHeaders(representation, encoding), 'X-Request-Id'],
    };
    byEncoding.set(encoding, made);
    return made;
  }

  function warmResponse(req: Request): PublishedLatest | null {
    const key = req.headers[API_KEY_HEADER];
    const grant = typeof key === 'string' ? directory.remembered(key) : null;
    if (grant === null || grant.sandbox || !grant.scopes.has(operation.scope)) return null;
    const symbol = readSymbol(rawQueryOf(req.url));
    return symbol === null ? null : board.warm(symbol);
  }

  function send(req: Request, res: Response, response: PublishedLatest): 200 | 304 {
    const encoding = chooseEncoding(req.headers['accept-encoding']);
    const headers = headersOf(response, encoding);
    const known = req.headers['if-none-match'];
    const unchanged = known !== undefined && (known === headers.etag || namesTag(known, response.representation.tag));
    res.writeHead(unchanged ? 304 : 200, [...(unchanged ? headers.notModified : headers.ok), requestIdOf(req)]);
    if (unchanged) res.end();
    else res.end(response.representation.bodies[encoding]);
    return unchanged ? 304 : 200;
  }

  return (req, res, next) => {
    const startedMs = performance.now();
    const response = warmResponse(req);
    if (response === null) {
      next();
      return;
    }
    const status = send(req, res, response);
    series[req.method === 'HEAD' ? 'HEAD' : 'GET'][status].observe((performance.now() - startedMs) / 1_000);
  };
}
