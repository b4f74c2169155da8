import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostNameOf, isLoopbackHost } from '@market-state/config';
import type { VenueMarket } from '../venue-market';
import { COIN, bookFrame, WHOLE_LEVELS } from '../protocol/frames';
import { parseJson, type InfoRequest } from '../protocol/requests';

const UNIVERSE = { universe: [{ szDecimals: 2, name: COIN, maxLeverage: 20 }] };
/** Row limit of the real venue. */
const ROWS_MAX = 500;

/**
 * `POST /info` response; null for an unknown coin, as at the real venue.
 * @param hasCoin false while the coin is delisted
 */
export function answerInfo(market: VenueMarket, request: InfoRequest, hasCoin: boolean): unknown {
  switch (request.type) {
    case 'meta':
      return hasCoin ? UNIVERSE : { universe: [] };
    case 'metaAndAssetCtxs': {
      if (!hasCoin) return [{ universe: [] }, []];
      const context = market.assetContext();
      return [UNIVERSE, context === undefined ? [{}] : [context]];
    }
    case 'allMids':
      return { [COIN]: market.assetContext()?.midPx ?? '1500.0' };
    case 'l2Book': {
      const book = market.lastBook();
      return request.coin !== COIN || book === undefined ? null : bookFrame(book, WHOLE_LEVELS).data;
    }
    case 'recentTrades':
      return request.coin === COIN ? market.recentTrades() : null;
    case 'fundingHistory':
      return request.coin === COIN ? market.fundings.between(request.startTime, request.endTime ?? Infinity).slice(0, ROWS_MAX) : null;
    case 'candleSnapshot': {
      const { coin, interval, startTime, endTime = Infinity } = request.req;
      return coin === COIN && interval === '1m' ? market.candles.between(startTime, endTime) : [];
    }
  }
}

export const BODY_BYTES_MAX = 65_536;

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

interface Route {
  /** Requires `Content-Type: application/json`, which a page of another origin cannot send without a CORS preflight. */
  readonly needsJson?: boolean;
  answer(body: unknown): Answer;
}

export type Routes = Readonly<Record<string, Route>>;

/** True for a loopback Host; a page that reaches this port by DNS rebinding has another one. */
export function namesLoopback({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return isLoopbackHost(hostNameOf(headers.host ?? '') ?? '');
}

/** Null if the path is invalid, such as `//`. */
export function urlOf({ url }: Pick<IncomingMessage, 'url'>): URL | null {
  return URL.parse(url ?? '/', 'http://venue');
}

export async function answerHttp(routes: Routes, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!namesLoopback(request)) return send(response, { status: 421, body: { error: 'Host must be a loopback name' } });
  const route = routes[urlOf(request)?.pathname ?? ''];
  if (route === undefined) return send(response, { status: 404, body: { error: 'unknown route' } });
  if (request.method !== 'POST') return send(response, { status: 405, body: { error: 'only POST is allowed' } });
  if (route.needsJson === true && !/^application\/json\s*(?:;|$)/i.test(request.headers['content-type'] ?? ''))
    return send(response, { status: 415, body: { error: 'Content-Type must be application/json' } });
  const text = await bodyOf(request);
  return send(
    response,
    text === undefined ? { status: 413, body: { error: `body exceeds ${BODY_BYTES_MAX} bytes` } } : route.answer(parseJson(text)),
  );
}

/** Undefined if it is too large. */
export async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
